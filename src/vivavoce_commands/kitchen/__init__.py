"""A generated corpus of kitchen commands with their predicates: nobody's data, and anybody's benchmark."""
