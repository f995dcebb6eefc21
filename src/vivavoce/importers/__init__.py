"""Foreign logs to the dataset: each corpus one importer on the shelf `IMPORTERS`, ours and those of packages.

```python
from pathlib import Path
from vivavoce.importers.base import IMPORTERS

result = IMPORTERS.get("dstc2").make_dataset([Path("dstc2")], Path("D"))
result.calls, result.skipped
```
"""
