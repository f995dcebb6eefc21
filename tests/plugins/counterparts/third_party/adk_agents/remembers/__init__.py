from . import agent  # noqa: F401  (as its documentation has it)
