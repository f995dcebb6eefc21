"""Corpus word error rate with alignment by jiwer: word_errors.py DATASET"""

import json
import sys

import jiwer
import pyarrow.parquet

if __name__ == "__main__":
    turns = pyarrow.parquet.read_table(f"{sys.argv[1]}/turns.parquet", columns=["reference"])
    heard = pyarrow.parquet.read_table(f"{sys.argv[1]}/hypotheses.parquet", columns=["text"])
    found = jiwer.process_words(turns["reference"].to_pylist(), heard["text"].to_pylist())
    print(json.dumps({"word_error_rate": found.wer, "hits": found.hits}))
