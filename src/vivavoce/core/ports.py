"""Ports of this machine: whether one can be listened on, and one that can."""

import socket

from vivavoce.core.errors import InputError


def require_free(host: str, port: int, *, place: str, hint: str) -> None:
    """Raises  InputError: somebody listens there already, or nobody may"""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, port))
        except OSError as error:
            raise InputError(
                f"cannot listen on {host}:{port} ({error.strerror})", place=place, hint=hint
            ) from None


def choose_port(asked: int | None, usual: int, option: str) -> int:
    """The port that somebody asked for, or where nobody did the usual one, else any free one.

    Raises  InputError: the one that was asked for is taken; what others have as an address is not changed
    """
    if asked is None:
        return free_port(usual)
    require_free(
        "127.0.0.1", asked, place=option, hint=("stop the process that listens there, or choose another port")
    )
    return asked


def free_port(wanted: int) -> int:
    """The wanted port of this machine if nobody listens there, else any free one."""
    try:
        require_free("127.0.0.1", wanted, place="", hint="")
        return wanted
    except InputError:
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            return listener.getsockname()[1]
