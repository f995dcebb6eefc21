"""What the numbers cannot say."""
