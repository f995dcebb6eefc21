"""Routes the calls of a bank: identifies the caller, asks openly, disambiguates, hands over."""
