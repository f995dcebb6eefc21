"""A bot that talks over standard input and output: `python line_bot.py [plain]`. Knows nothing of ours.

It remembers the first thing it was told, so that mixed conversations show. What it is told may be a fault.
"""

import json
import subprocess
import sys
import time

first = None


def say(**message: object) -> None:
    print(json.dumps(message), flush=True)


def fault(text: str) -> None:
    if text == "die":
        sys.stderr.write("something broke\n")
        sys.exit(3)
    if text == "silent":
        time.sleep(60)
    if text == "garbage":
        print("this is not JSON", flush=True)
    if text == "huge":
        print('{"type": "bot", "text": "' + "x" * 5_000_000 + '"}', flush=True)
    if text == "notutf8":
        sys.stdout.buffer.write(b'{"type": "bot", "text": "\xff"}\n')
        sys.stdout.flush()
    if text == "half":
        say(type="bot", text="half")
        time.sleep(60)
    if text == "child":
        subprocess.Popen(["sleep", "987"])


if sys.argv[1:] == ["plain"]:
    print("welcome\n> ", end="", flush=True)
    for line in sys.stdin:
        print(f"you said {line.strip()}\nand more\n> ", end="", flush=True)
else:
    for line in sys.stdin:
        message = json.loads(line)
        first = first or message["text"]
        fault(message["text"])
        say(type="delta", text="first was ")
        say(type="delta", text=first)
        say(type="bot", text=f"first was {first}")
        say(type="turn_end", end=message["text"] == "bye")
