"""How systems stood linguistic stress tests."""
