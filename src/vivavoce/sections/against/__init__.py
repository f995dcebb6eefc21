"""The new version against the last one."""
