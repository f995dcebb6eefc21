"""The system under test behind one small protocol; each connector is one file with its facts."""
