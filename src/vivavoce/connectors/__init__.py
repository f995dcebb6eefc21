"""The system under test behind one small protocol; each connector is one file with its facts.

`base` is that protocol, `factory` where connectors are found by name: ours and those of installed packages,
all by entry points of the group `vivavoce.connectors`. A connector's file is imported when a study names it.
"""
