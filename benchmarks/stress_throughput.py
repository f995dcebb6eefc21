"""Utterances a CPU second of each stress test, beside nlpaug and TextAttack on letters that change places.

python benchmarks/stress_throughput.py

The peers are optional and may live in another environment: STRESS_PEERS_PYTHON names its Python. `ratio` is
ours to theirs on ST-4: variants a CPU second; ours are filtered, they make one an utterance, unfiltered.
TextAttack's augmenters ask NLTK for stop words when they are imported; swapping letters uses none, so an
empty list stands in and nothing is downloaded.
"""

import json
import os
import subprocess
import sys
import time
from itertools import product

from vivavoce_stress.base import Utterance, stress_tests
from vivavoce_stress.propose import propose

SECONDS = 2.0
PARTS = {
    "en": (
        ("I would like", "I am looking for", "Can you find me", "Please book"),
        ("a cheap restaurant", "an expensive hotel", "the next train", "a quiet table", "two tickets"),
        (
            "in the north of town",
            "near the station",
            "for tomorrow",
            "with a garden",
            "that serves Italian food",
        ),
    ),
    "it": (
        ("Vorrei", "Sto cercando", "Puoi trovarmi", "Per favore prenota"),
        ("un ristorante economico", "un albergo costoso", "il prossimo treno", "un tavolo tranquillo"),
        ("nella zona nord della città", "vicino alla stazione", "per domani", "che serva cibo italiano"),
    ),
}
PEER = """
import json, sys, time, importlib.metadata as meta
said = json.load(sys.stdin)
def rate(change):
    change(said[0]); done, start = 0, time.process_time()
    while time.process_time() - start < {seconds}:
        change(said[done % len(said)]); done += 1
    return round(done / (time.process_time() - start))
name = sys.argv[1]
if name == "nlpaug":
    import nlpaug.augmenter.char as nac
    swap = nac.RandomCharAug(action="swap", aug_word_max=1, aug_char_max=1)
    made = rate(swap.augment)
else:
    from nltk.corpus import stopwords
    stopwords.words = lambda language: []
    from textattack.augmentation import Augmenter
    from textattack.transformations import WordSwapNeighboringCharacterSwap
    made = rate(Augmenter(transformation=WordSwapNeighboringCharacterSwap()).augment)
print(json.dumps({{"version": meta.version(name), "utterances_per_cpu_s": made}}))
"""


def said_in(language: str) -> list[str]:
    return [" ".join(parts) for parts in product(*PARTS[language])]


def ours(language: str, test: str) -> dict[str, int]:
    """Utterances and variants a CPU second, after a first call that loads what it needs."""
    previous = "Roma o Milano?" if language == "it" else "Rome or Milan?"
    utterances = [Utterance(text=text, language=language, previous=previous) for text in said_in(language)]
    propose(utterances[0], [test])
    done = variants = 0
    start = time.process_time()
    while (spent := time.process_time() - start) < SECONDS:
        variants += len(propose(utterances[done % len(utterances)], [test], seed=done).variants)
        done += 1
    return {"utterances_per_cpu_s": round(done / spent), "variants_per_cpu_s": round(variants / spent)}


def peer(name: str) -> dict[str, object]:
    """The same utterances through a peer's swapping of letters; why not, where it is not there."""
    python = os.environ.get("STRESS_PEERS_PYTHON", sys.executable)
    command = [python, "-c", PEER.format(seconds=SECONDS), name]
    done = subprocess.run(
        command, input=json.dumps(said_in("en")), capture_output=True, text=True, check=False
    )
    if done.returncode:
        lines = done.stderr.strip().splitlines()
        return {"skipped": lines[-1] if lines else f"exit code {done.returncode}"}
    return json.loads(done.stdout.strip().splitlines()[-1])


def main() -> None:
    rates = {language: {one.name: ours(language, one.name) for one in stress_tests()} for language in PARTS}
    peers = {name: peer(name) for name in ("nlpaug", "textattack")}
    mine = rates["en"]["ST-4"]["variants_per_cpu_s"]
    ratios = {
        name: round(mine / int(str(found["utterances_per_cpu_s"])), 2)
        for name, found in peers.items()
        if "utterances_per_cpu_s" in found
    }
    print(json.dumps({"stress": rates, "peers": peers, "ratio": ratios}, indent=1))


if __name__ == "__main__":
    main()
