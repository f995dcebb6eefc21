"""Packages of strangers, as pip leaves them on the path."""

from collections.abc import Mapping
from pathlib import Path


def put_package(site: Path, package: str, group: str, points: Mapping[str, str], code: str = "") -> Path:
    """A folder for `sys.path` with a distribution that offers `points`, and its module of the same name."""
    module = package.replace("-", "_")
    facts = site / package / f"{module}-0.1.dist-info"
    facts.mkdir(parents=True)
    (facts / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 0.1\n")
    lines = [f"{name} = {target}" for name, target in points.items()]
    (facts / "entry_points.txt").write_text("\n".join([f"[{group}]", *lines]))
    (site / package / f"{module}.py").write_text(code)
    return site / package
