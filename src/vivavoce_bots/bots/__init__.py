"""The bundled bots: one YAML file each, and a module with its back end where it needs one."""
