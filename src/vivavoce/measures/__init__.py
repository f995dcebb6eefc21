"""Interaction parameters: declared, registered measures over a dataset.

```python
from vivavoce.log.dataset import Dataset
from vivavoce.measures import MEASURES, compute

compute(Dataset("D"), by="condition")  # every measure, one row a condition and measure
compute(Dataset("D"), ["word_error_rate", "objective_success_inferred"])  # two of them, over everything
MEASURES.get("word_error_rate").meaning  # what a measure means, its unit, its source
```
"""

from vivavoce.measures import communication, recognition, task_success
from vivavoce.measures.base import MEASURES, Measure, Tables
from vivavoce.measures.compute import components, compute

FAMILIES = (communication, recognition, task_success)

__all__ = ["MEASURES", "Measure", "Tables", "components", "compute"]
