"""A form that is filled in once in a visit; as a screen it decides who goes on."""
