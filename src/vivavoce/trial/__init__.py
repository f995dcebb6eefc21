"""One participant's visit as a state machine: steps, allocation, dialogue relay, earned codes."""
