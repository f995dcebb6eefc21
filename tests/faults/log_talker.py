"""A process that writes to a log until it is killed: `python log_talker.py URL NEXT_NUMBERS_AS_JSON`.

Every visit has one talker, who sends turn n with key n and goes on only when it is acknowledged. After
`ready`, each line on stdout is one acknowledgement: visit, number, seq.
"""

import asyncio
import json
import sys

from vivavoce.log.events import DialogueAssigned, DialogueOpened, UserTurnSent, VisitOpened
from vivavoce.log.store import Log, Transaction


def open_visit(tx: Transaction, visit_id: str) -> None:
    if tx.last_seq(visit_id):
        return
    tx.append(
        visit_id, VisitOpened(study="s", revision="r", participant_id=visit_id, pool="link", language="en")
    )
    tx.append(
        visit_id,
        DialogueAssigned(
            dialogue_id=visit_id,
            step=0,
            round=0,
            system="a",
            task_id=None,
            task=None,
            channel="text",
            spoken=False,
            calls_out=False,
            language="en",
            conversation=visit_id,
        ),
    )
    tx.append(visit_id, DialogueOpened(dialogue_id=visit_id))


async def talk(log: Log, visit_id: str, number: int) -> None:
    while True:
        turn = UserTurnSent(dialogue_id=visit_id, turn_index=number, text="x" * 120)
        stored = await log.transact(
            lambda tx, turn=turn, key=str(number): tx.append(visit_id, turn, client_key=key)
        )
        print(visit_id, number, stored.seq, flush=True)
        number += 1


async def main(url: str, numbers: dict[str, int]) -> None:
    log = Log.open(url)
    for visit_id in numbers:
        log.transact_now(lambda tx, visit_id=visit_id: open_visit(tx, visit_id))
    print("ready", flush=True)
    await asyncio.gather(*(talk(log, visit_id, number) for visit_id, number in numbers.items()))


asyncio.run(main(sys.argv[1], json.loads(sys.argv[2])))
