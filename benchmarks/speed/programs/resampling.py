"""The percentile bootstrap of a ratio, whole participants drawn, by scipy.

    resampling.py FILE dialogues|sums DRAWS

FILE: an .npz of `participant`, `numerator` and `denominator`, an entry a dialogue. `dialogues`: the statistic
gathers the dialogues of those who were drawn; `sums`: it is given sums per participant, and vectorised.
Printed: seconds, of the bootstrap alone, and its interval, as JSON.
"""

import json
import sys
import time

import numpy as np
from scipy.stats import bootstrap


def of_dialogues(data, draws):
    people, first = np.unique(data["participant"], return_index=True)
    numerators, denominators = (np.split(data[name], first[1:]) for name in ("numerator", "denominator"))

    def ratio(drawn):
        above = np.concatenate([numerators[one] for one in drawn])
        return above.sum() / np.concatenate([denominators[one] for one in drawn]).sum()

    found = bootstrap(
        (np.arange(len(people)),), ratio, n_resamples=draws, method="percentile", vectorized=False, rng=1
    )
    return found.confidence_interval


def of_sums(data, draws):
    above, below = (np.bincount(data["participant"], data[name]) for name in ("numerator", "denominator"))

    def ratio(a, b, axis=-1):
        return a.sum(axis) / b.sum(axis)

    found = bootstrap(
        (above, below), ratio, n_resamples=draws, paired=True, method="percentile", batch=500, rng=1
    )
    return found.confidence_interval


if __name__ == "__main__":
    data = dict(np.load(sys.argv[1]))
    work, draws = {"dialogues": of_dialogues, "sums": of_sums}[sys.argv[2]], int(sys.argv[3])
    begun = time.process_time()
    low, high = work(data, draws)
    print(json.dumps({"cpu_s": time.process_time() - begun, "low": low, "high": high}))
