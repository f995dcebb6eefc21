"""Sphinx configuration."""

project = "Vivavoce"
author = "The Vivavoce founders"
extensions = ["myst_parser"]
myst_enable_extensions = ["deflist"]
myst_heading_anchors = 3
html_theme = "furo"
html_title = "Vivavoce"
exclude_patterns = ["_build"]
highlight_language = "none"  # commands and their output; what is code says so
