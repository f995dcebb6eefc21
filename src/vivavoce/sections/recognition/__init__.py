"""How far confidences of recognition can be trusted."""
