"""The journal of a judge: every answer on disk before it is used, so that nothing is asked and paid twice.

One JSON object a line. A request is written before it is sent (`sent`) and its answer when it is there
(`answer`), each under the digest of all that it depends on. What was sent before a crash and never answered
is perhaps paid: it is counted, and asked again.
"""

import hashlib
import json
import os
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, Final

from vivavoce.core.errors import InputError

BEGINS: Final = "vivavoce-judge-journal"


class CostCeiling(InputError):
    """The cost of judges has reached its ceiling; answers so far are kept."""


class Journal:
    """Answers by content.

    ceiling   what all answers in the file may cost together; no request is sent that may go beyond, if it and
              those under way cost what the dearest did
    perhaps   requests of earlier runs that were sent and never answered
    Raises    InputError: the file is another, or is damaged in the middle
    """

    def __init__(self, path: Path, *, ceiling: float | None = None) -> None:
        self.path, self.ceiling = path, ceiling
        self._answers: dict[str, dict[str, Any]] = {}
        self._frozen: set[str] = set()
        self.paid, self.asked, self.kept, self.failed = 0.0, 0, 0, 0
        self._open, self._dearest = 0, 0.0
        sent: set[str] = set()
        for number, record in enumerate(self._records(), 1):
            match record:
                case {"format": format}:
                    if format != BEGINS:
                        raise self._damaged(number)
                case {"judge": digest}:
                    self._frozen.add(digest)
                case {"sent": digest}:
                    sent.add(digest)
                case {"answer": digest, "content": content}:
                    self._keep(digest, content)
                case _:
                    raise self._damaged(number)
        self.perhaps = len(sent - set(self._answers))
        new = not path.exists()
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("a", encoding="utf-8")
        if new:
            self._write({"format": BEGINS})

    def freeze(self, frozen: Mapping[str, Any]) -> str:
        """Writes down what a judge's words depend on, once; its digest."""
        digest = digest_of(frozen)
        if digest not in self._frozen:
            self._frozen.add(digest)
            self._write({"judge": digest, "content": dict(frozen)})
        return digest

    async def once(
        self, request: Mapping[str, Any], ask: Callable[[], Awaitable[dict[str, Any]]]
    ) -> dict[str, Any]:
        """The answer to a request: from here, or asked and written down first; what failed is asked again.

        Raises  CostCeiling: the next answer may go beyond what answers may cost
        """
        digest = digest_of(request)
        if digest in self._answers:
            self.kept += 1
            return self._answers[digest]
        expected = self.paid + (self._open + 1) * self._dearest
        if self.ceiling is not None and (self.paid >= self.ceiling or expected > self.ceiling):
            hint = "raise --spend-at-most and run again; saved answers are not requested again"
            raise CostCeiling(
                f"the budget of {self.ceiling:g} is used up: {self.paid:.4f} spent",
                place=str(self.path),
                hint=hint,
            )
        self._write({"sent": digest})
        self.asked, self._open = self.asked + 1, self._open + 1
        try:
            content = await ask()
        finally:
            self._open -= 1
        if "failed" in content:
            self.failed += 1
            return content
        self._write({"answer": digest, "content": content})
        self._keep(digest, content)
        return content

    def close(self) -> None:
        self._file.close()

    def _keep(self, digest: str, content: dict[str, Any]) -> None:
        self._answers[digest] = content
        cost = content.get("cost") or 0.0
        self.paid, self._dearest = self.paid + cost, max(self._dearest, cost)

    def _write(self, record: Mapping[str, Any]) -> None:
        self._file.write(json.dumps(record, ensure_ascii=False) + "\n")
        self._file.flush()
        os.fsync(self._file.fileno())

    def _records(self) -> list[Any]:
        """Records of earlier runs; half a line at the end, of a run that was killed, is taken off."""
        if not self.path.exists():
            return []
        lines = self.path.read_bytes().split(b"\n")
        if lines[-1]:
            complete_bytes = sum(len(line) + 1 for line in lines[:-1])
            os.truncate(self.path, complete_bytes)
        records = []
        for number, line in enumerate(lines[:-1], 1):
            try:
                records.append(json.loads(line))
            except ValueError:
                raise self._damaged(number) from None
        return records

    def _damaged(self, line: int) -> InputError:
        return InputError(
            "not a judge's journal", place=f"{self.path}:{line}", hint="choose another --journal"
        )


def digest_of(content: Mapping[str, Any]) -> str:
    """SHA-256 of a request or of a judge, whatever the order of its keys."""
    return hashlib.sha256(json.dumps(content, sort_keys=True, ensure_ascii=False).encode()).hexdigest()
