"""Quality prediction: how much of what people judge can be told from interaction parameters.

```python
from vivavoce.stats.prediction import correlate, evaluate
from vivavoce.log.dataset import Dataset

evaluate(Dataset("D"), "understood_me")  # folds never split a participant; out-of-sample R2 with interval
correlate(Dataset("D"))  # every parameter with every target
```
"""

from vivavoce.stats.prediction.correlation import correlate
from vivavoce.stats.prediction.evaluation import evaluate
from vivavoce.stats.prediction.table import PredictionTable, prediction_table

__all__ = ["PredictionTable", "correlate", "evaluate", "prediction_table"]
