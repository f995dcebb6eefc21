"""The dataset: a folder of Parquet tables and `dataset.json`, the waist between the two wings."""

from vivavoce.log.dataset_folder import MANIFEST
from vivavoce.log.dataset_reader import Dataset
from vivavoce.log.dataset_writer import BATCH_ROWS, DatasetWriter

__all__ = ["BATCH_ROWS", "MANIFEST", "Dataset", "DatasetWriter"]
