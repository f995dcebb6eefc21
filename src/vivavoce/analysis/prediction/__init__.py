"""Quality prediction: predict people's judgements from interaction parameters.

```python
from vivavoce.stats.prediction import correlate, evaluate
from vivavoce.dataset.reader import Dataset

evaluate(Dataset("D"), "understood_me")  # folds never split a participant; out-of-sample R2 with interval
correlate(Dataset("D"))  # every parameter with every target
```
"""

from vivavoce.analysis.prediction.correlation import correlate
from vivavoce.analysis.prediction.evaluation import evaluate
from vivavoce.analysis.prediction.table import PredictionTable, prediction_table

__all__ = ["PredictionTable", "correlate", "evaluate", "prediction_table"]
