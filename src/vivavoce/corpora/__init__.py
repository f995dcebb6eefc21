"""Foreign logs to the dataset: each corpus one importer on the shelf `CORPORA`.

```python
from pathlib import Path
from vivavoce.corpora import CORPORA

result = CORPORA.get("dstc2").read([Path("dstc2")], Path("D"))
result.calls, result.skipped
```
"""

from vivavoce.corpora.base import CORPORA, Corpus, ImportResult
from vivavoce.corpora.dstc2 import import_dstc2
from vivavoce.corpora.huric import import_huric
from vivavoce.corpora.marco import import_marco
from vivavoce.corpora.star import import_star
from vivavoce.corpora.sugar import import_sugar

__all__ = [
    "CORPORA",
    "Corpus",
    "ImportResult",
    "import_dstc2",
    "import_huric",
    "import_marco",
    "import_star",
    "import_sugar",
]
