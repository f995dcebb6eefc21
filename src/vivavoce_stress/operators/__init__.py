"""Operators of the tests of IDIAL: each proposes substitutions of one test; `idial_tests` names them."""
