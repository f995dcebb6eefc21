"""How often each group succeeded, and which differ."""
