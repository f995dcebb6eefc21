"""Reports to share: the HTML report and the table of the terminal."""
