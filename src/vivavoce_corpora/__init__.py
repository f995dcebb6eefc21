"""Importers of published corpora: DSTC2, STAR, MultiWOZ, SGD, ConvLab, MARCO, and files of Mechanical Turk.

Each module named in the entry points `vivavoce.importers` is one importer. Imports `vivavoce.importers`.
"""
