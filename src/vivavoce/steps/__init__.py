"""The steps of a visit: one folder each, which says everything of it that others ask.

`base` is the face that every step has, `shelf` where steps are found by name: ours and those of installed
packages, all by entry points of the group `vivavoce.steps`.
"""
