"""Foreign logs to the dataset: each corpus one importer on the shelf `CORPORA`.

```python
from pathlib import Path
from vivavoce.importers import CORPORA

result = CORPORA.get("dstc2").read([Path("dstc2")], Path("D"))
result.calls, result.skipped
```
"""

from vivavoce.importers.base import CORPORA, Corpus, ImportResult
from vivavoce.importers.dstc2 import import_dstc2
from vivavoce.importers.huric import import_huric
from vivavoce.importers.marco import import_marco
from vivavoce.importers.star import import_star
from vivavoce.importers.sugar import import_sugar

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
