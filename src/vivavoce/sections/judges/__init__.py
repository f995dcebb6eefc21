"""Results from people alone, and with judges beside them."""
