"""The dataset: a folder of Parquet tables and `dataset.json`, where collecting ends and analysing begins.

Main objects: `reader.Dataset`, `writer.DatasetWriter`, `schema.TABLES`. Imports `core`, `languages`, `study`.
"""
