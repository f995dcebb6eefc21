"""Interaction parameters: declared measures over a dataset, found by entry points of `vivavoce.measures`.

```python
from vivavoce.dataset.reader import Dataset
from vivavoce.measures import MEASURES, compute

compute(Dataset("D"), by="condition")  # every measure, one row a condition and measure
compute(Dataset("D"), ["word_error_rate", "objective_success_inferred"])  # two of them, over everything
MEASURES.get("word_error_rate").meaning  # what a measure means, its unit, its source
```
"""

from vivavoce.measures.base import MEASURES, Measure, Tables
from vivavoce.measures.compute import components, compute
from vivavoce.measures.values import values

__all__ = ["MEASURES", "Measure", "Tables", "components", "compute", "values"]
