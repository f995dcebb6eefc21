"""What people show around: the HTML report and the table of the terminal."""
