"""Restaurant information, system-directed: one question at a time, each answer confirmed."""
