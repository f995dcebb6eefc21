"""What people preferred of two transcripts."""
