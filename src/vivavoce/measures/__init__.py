"""Interaction parameters: declared, registered measures over a dataset.

```python
from vivavoce.log.dataset import Dataset
from vivavoce.measures import MEASURES, compute

compute(Dataset("D"), by="condition")  # every measure, one row a condition and measure
compute(Dataset("D"), ["word_error_rate", "objective_success_inferred"])  # two of them, over everything
MEASURES.get("word_error_rate").meaning  # what a measure means, its unit, its source
```
"""

from vivavoce.measures import (
    answers,
    communication,
    confidence,
    cooperativity,
    key_agreement,
    meta_communication,
    recognition,
    recognition_oracle,
    task_codes,
    task_success,
    understanding,
    user_errors,
)
from vivavoce.measures.base import MEASURES, Measure, Tables
from vivavoce.measures.compute import components, compute
from vivavoce.measures.values import values

MODULES = (
    communication,
    meta_communication,
    cooperativity,
    task_success,
    task_codes,
    key_agreement,
    answers,
    recognition,
    recognition_oracle,
    confidence,
    understanding,
    user_errors,
)

__all__ = ["MEASURES", "Measure", "Tables", "components", "compute", "values"]
