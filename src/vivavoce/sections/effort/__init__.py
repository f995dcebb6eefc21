"""What a judgement takes, in time and money."""
