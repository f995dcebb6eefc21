"""What people and programs say about logged turns: so far, what a typed turn means."""
