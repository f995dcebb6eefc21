"""python -m vivavoce_bots BOT: starts a bundled bot or a bot file and serves it until it is stopped."""

import argparse
import os
import socket
import sys
from pathlib import Path

from vivavoce_bots.bot import Bot, Entry
from vivavoce_bots.catalogue import BOTS
from vivavoce_bots.damage import Damage, DamageError
from vivavoce_bots.engine.bot_file import BotFileError, DomainError
from vivavoce_bots.engine.matchers import UnderstandingError
from vivavoce_bots.engine.own_bot import is_bot_path, own_entry
from vivavoce_bots.engine.understandings import understanding_names


def main(arguments: list[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    try:
        entry = _find_entry(options.name)
        variant = options.variant or entry.variants[0]
        if variant not in entry.variants:
            print(f"unknown variant {variant!r}. Known: {', '.join(entry.variants)}", file=sys.stderr)
            return 2
        bot = entry.make(variant, options.seed, options.domain, options.understanding)
        return _serve(bot, variant, options)
    except (BotFileError, DomainError, UnderstandingError, DamageError) as error:
        print(error, file=sys.stderr)
        return 2


def _find_entry(name: str) -> Entry:
    """Entry of a bundled bot, or of a bot file.

    Raises  BotFileError: there is none, or the file has a mistake
    """
    if is_bot_path(name):
        return own_entry(Path(name))
    if name not in BOTS:
        raise BotFileError(f"unknown bot {name!r}. Known: {', '.join(BOTS)}, or the path of a bot file")
    return BOTS[name]


_PATHS = {
    "http": "/chat",
    "openai": "/v1",
    "rasa": "/webhooks/rest/webhook",
    "websocket": "/ws",
}


def _announce(options: argparse.Namespace, variant: str) -> None:
    """Tell where the bot is and how it ends; whoever starts several bots at once tells that itself."""
    if os.environ.get("VIVAVOCE_BOT_SILENT"):
        return
    host = f"[{options.host}]" if ":" in options.host else options.host
    addresses = "".join(
        f"  {channel:<10}{'ws' if channel == 'websocket' else 'http'}://{host}:{options.port}{path}\n"
        for channel, path in _PATHS.items()
        if options.channel in (None, channel)
    )
    print(
        f"bot {options.name} ({variant}) answers at\n{addresses}stop with Ctrl-C", file=sys.stderr, flush=True
    )


def _serve(bot: Bot, variant: str, options: argparse.Namespace) -> int:
    import uvicorn

    from vivavoce_bots.server import CHANNELS, Server

    problem = _taken(options.host, options.port)
    if problem:
        print(
            f"{options.name}: cannot listen on {options.host}:{options.port} ({problem}). "
            "Choose another port with --port",
            file=sys.stderr,
        )
        return 2
    server = Server(bot, seed=options.seed, damage=_damage(options))
    app = server.app([options.channel] if options.channel else CHANNELS)
    _announce(options, variant)
    uvicorn.run(app, host=options.host, port=options.port, log_level="warning", access_log=False)
    return 0


def _taken(host: str, port: int) -> str | None:
    """Reason why nobody can listen there; null where one can."""
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, port))
        except OSError as error:
            return error.strerror or str(error)
    return None


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m vivavoce_bots", description="Start a bot.")
    parser.add_argument("name", help=f"{', '.join(sorted(BOTS))}, or the path of a bot file")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=9101)
    parser.add_argument(
        "--variant", help="; ".join(f"{e.name}: {', '.join(e.variants)}" for e in BOTS.values())
    )
    parser.add_argument("--domain", type=Path, help="YAML file with ontology and venues")
    parser.add_argument(
        "--understanding", choices=understanding_names(), default="rules", help="how it understands sentences"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--channel",
        choices=tuple(_PATHS),
        help="how it is reached (default: all)",
    )
    group = parser.add_argument_group("known damage, none by default")
    group.add_argument("--wer", type=_share, default=0.0, help="share of words misheard")
    group.add_argument("--values-misheard", type=_share, default=0.0, help="share of values misheard")
    group.add_argument("--forget", type=_share, default=0.0, help="share of turns that begin afresh")
    group.add_argument("--repeat", type=_share, default=0.0, help="share of turns that repeat the one before")
    group.add_argument(
        "--wrong-venue", type=_share, default=0.0, help="share of conversations with wrong names of venues"
    )
    group.add_argument("--delay", type=_seconds, default=0.0, help="seconds before each answer")
    group.add_argument("--fail-rate", type=_share, default=0.0, help="share of turns answered with HTTP 500")
    return parser


def _damage(options: argparse.Namespace) -> Damage:
    return Damage(
        wer=options.wer,
        values=options.values_misheard,
        forget=options.forget,
        repeat=options.repeat,
        wrong_venue=options.wrong_venue,
        delay_s=options.delay,
        fail_rate=options.fail_rate,
    )


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
