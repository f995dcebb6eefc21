"""A kind of judgement: how polite a system is."""
