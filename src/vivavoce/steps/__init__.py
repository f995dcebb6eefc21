"""The steps of a visit: one folder for each kind, with everything that others need to know about it.

`study/step_kind.StepKind` states what a step must provide. Steps, ours and those of installed packages, are
registered as entry points of the group `vivavoce.steps`.
"""
