"""A small dataset of two systems, with names that must not be read as markup."""

from pathlib import Path

from vivavoce.dataset.writer import DatasetWriter

KIND, CURT = "<i>kind & [bold]slow[/]</i>", "curt"


def shops(folder: Path, *, people: int = 8, simulated: int = 0, name: str = "shops") -> Path:
    """Four dialogues of each person, two with each system; the last `simulated` of them are programs."""
    with DatasetWriter(folder, study={"name": name}, source={"kind": "test"}) as writer:
        for place, (person, system) in enumerate((p, s) for p in range(people) for s in (KIND, CURT) * 2):
            key = {"dialogue_id": f"d{place}"}
            program = person >= people - simulated
            writer.add(
                "dialogues",
                [
                    {
                        **key,
                        "study": name,
                        "system": system,
                        "condition": system,
                        "participant_id": f"p{person}",
                        "channel": "text",
                        "language": "en",
                        "simulated": program,
                        "duration_s": 30.0 + place % 7,
                    }
                ],
            )
            writer.add(
                "ratings",
                [
                    {
                        **key,
                        "participant_id": f"p{person}",
                        "instrument": "cambridge",
                        "item_id": "found_all",
                        "role": "subjective_success",
                        "value": float((person + place) % (4 if system == KIND else 3) > 0),
                    }
                ],
            )
            said = ["Hello.", "a table for two", *["Sorry?", "for two"] * (system == KIND or person % 3 == 0)]
            writer.add(
                "turns",
                [
                    {**key, "turn_index": n, "party": ("system", "user")[n % 2], "text": text}
                    for n, text in enumerate(said)
                ],
            )
        for person in range(people):
            writer.add(
                "participants",
                [
                    {
                        "participant_id": f"p{person}",
                        "simulated": person >= people - simulated,
                    }
                ],
            )
    return folder
