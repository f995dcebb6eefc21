"""What rests on people, what on judges beside them."""
