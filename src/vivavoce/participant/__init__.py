"""The participants' pages: one study, walked through in the browser."""
