"""What every room may use: errors, registry, clock, signature, text, alignment. No domain."""
