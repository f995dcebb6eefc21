"""A step for Vivavoce: enquiries at a library are sent to the right desk."""
