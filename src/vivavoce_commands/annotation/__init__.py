"""Commands that annotators turn into predicates: a kind of judgement, its workplace, pages and files."""
