"""The sections of a report: one folder each, with its results, its blocks and its words.

`vivavoce.reports.section` is the face that every section has, and the shelf where sections are found by name:
ours and those of installed packages alike (entry points of the group `vivavoce.sections`).
"""
