"""A few interaction parameters by pandas or by polars, or a plain scan of the columns they need.

    few_measures.py pandas|polars|scan DATASET

Printed: the mean of each over dialogues of both systems, as JSON.
"""

import json
import sys

COLUMNS = ["dialogue_id", "turn_index", "party", "text", "reference", "onset_s", "offset_s"]


def by_pandas(folder):
    import pandas

    turns = pandas.read_parquet(f"{folder}/turns.parquet", columns=COLUMNS)
    turns = turns.sort_values(["dialogue_id", "turn_index"])
    user, system = turns[turns.party == "user"], turns[turns.party == "system"]
    before = turns.groupby("dialogue_id").shift()
    answers = turns[(turns.party == "system") & (before.party == "user")]
    delay = answers.onset_s - before.offset_s[answers.index]
    every = turns.dialogue_id.unique()
    mean = lambda values, keys: values.groupby(keys).mean().mean()  # noqa: E731
    return {
        "turns": turns.groupby("dialogue_id").size().mean(),
        "user_turns": user.groupby("dialogue_id").size().reindex(every, fill_value=0).mean(),
        "system_turns": system.groupby("dialogue_id").size().reindex(every, fill_value=0).mean(),
        "words_per_user_turn": mean(user.reference.str.split().str.len(), user.dialogue_id),
        "words_per_system_turn": mean(system.text.str.split().str.len(), system.dialogue_id),
        "user_turn_duration": mean(user.offset_s - user.onset_s, user.dialogue_id),
        "system_turn_duration": mean(system.offset_s - system.onset_s, system.dialogue_id),
        "system_response_delay": mean(delay, answers.dialogue_id),
    }


def by_polars(folder):
    import polars
    from polars import col

    turns = polars.scan_parquet(f"{folder}/turns.parquet").select(COLUMNS).sort("dialogue_id", "turn_index")
    before = [col(name).shift().over("dialogue_id").alias(f"before_{name}") for name in ("party", "offset_s")]
    user, system, long = col("party") == "user", col("party") == "system", col("offset_s") - col("onset_s")
    count = lambda name: col(name).str.split(" ").list.len()  # noqa: E731
    answers = system & (col("before_party") == "user")
    found = (
        turns.with_columns(before)
        .group_by("dialogue_id")
        .agg(
            turns=polars.len(),
            user_turns=user.sum(),
            system_turns=system.sum(),
            words_per_user_turn=count("reference").filter(user).mean(),
            words_per_system_turn=count("text").filter(system).mean(),
            user_turn_duration=long.filter(user).mean(),
            system_turn_duration=long.filter(system).mean(),
            system_response_delay=(col("onset_s") - col("before_offset_s")).filter(answers).mean(),
        )
    )
    means = found.drop("dialogue_id").mean().collect()
    return {name: means[name][0] for name in means.columns}


def scan(folder):
    import pyarrow.parquet

    return {"rows": pyarrow.parquet.read_table(f"{folder}/turns.parquet", columns=COLUMNS).num_rows}


if __name__ == "__main__":
    work = {"pandas": by_pandas, "polars": by_polars, "scan": scan}[sys.argv[1]]
    print(json.dumps({name: float(value) for name, value in work(sys.argv[2]).items()}))
