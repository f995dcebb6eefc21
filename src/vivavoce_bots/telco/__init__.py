"""Self-service of a telephone company: information and operations, confirmed, in English and Italian."""
