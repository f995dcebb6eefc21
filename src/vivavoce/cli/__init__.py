"""One verb, one function; the only room that sees all others. What a verb needs is imported when it runs."""
