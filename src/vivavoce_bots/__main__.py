"""python -m vivavoce_bots NAME: starts a bot and serves it until it is stopped."""

import argparse
import sys
from pathlib import Path

from vivavoce_bots.catalogue import BOTS
from vivavoce_bots.damage import Damage, DamageError
from vivavoce_bots.restaurant.domain import DomainError


def main(arguments: list[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    entry = BOTS[options.name]
    variant = options.variant or entry.variants[0]
    if variant not in entry.variants:
        print(f"unknown variant {variant!r}; known: {', '.join(entry.variants)}", file=sys.stderr)
        return 2
    from vivavoce_bots.server import Server

    try:
        bot = entry.make(variant, options.seed, options.domain)
        server = Server(bot, seed=options.seed, damage=_damage(options))
    except (DomainError, DamageError) as error:
        print(error, file=sys.stderr)
        return 2
    import uvicorn

    uvicorn.run(server.app(), host=options.host, port=options.port, log_level="warning", access_log=False)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m vivavoce_bots", description="Start a bot.")
    parser.add_argument("name", choices=sorted(BOTS), help="which bot")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=9101)
    parser.add_argument(
        "--variant", help="; ".join(f"{e.name}: {', '.join(e.variants)}" for e in BOTS.values())
    )
    parser.add_argument("--domain", type=Path, help="YAML file with ontology and venues")
    parser.add_argument("--seed", type=int, default=1)
    known = parser.add_argument_group("known damage, none by default")
    known.add_argument("--wer", type=_share, default=0.0, help="share of words misheard")
    known.add_argument("--forget", type=_share, default=0.0, help="share of turns that begin afresh")
    known.add_argument("--repeat", type=_share, default=0.0, help="share of turns that repeat the one before")
    known.add_argument(
        "--wrong-venue", type=_share, default=0.0, help="share of conversations with wrong names of venues"
    )
    known.add_argument("--delay", type=_seconds, default=0.0, help="seconds before each answer")
    known.add_argument("--fail-rate", type=_share, default=0.0, help="share of turns answered with HTTP 500")
    return parser


def _damage(options: argparse.Namespace) -> Damage:
    return Damage(
        wer=options.wer, forget=options.forget, repeat=options.repeat, wrong_venue=options.wrong_venue,
        delay_s=options.delay, fail_rate=options.fail_rate,
    )  # fmt: skip


def _seconds(text: str) -> float:
    value = float(text)
    if not 0 <= value <= 3600:
        raise argparse.ArgumentTypeError("must be between 0 and 3600")
    return value


def _share(text: str) -> float:
    value = float(text)
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError("must be between 0 and 1")
    return value


if __name__ == "__main__":
    sys.exit(main())
