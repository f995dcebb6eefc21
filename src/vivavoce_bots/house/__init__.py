"""Home assistant: lamps, blinds, television with programmes, answering machine; spatial references."""
