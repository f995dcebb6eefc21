"""What all applications of a test process share: routes, compiled templates, cheap hashes of passwords."""

from typing import Any

from fastapi import APIRouter, FastAPI
from jinja2 import BytecodeCache, Environment
from jinja2.bccache import Bucket
from pwdlib import PasswordHash
from pwdlib.hashers.argon2 import Argon2Hasher

from vivavoce.dashboard import app as desk


class Compiled(BytecodeCache):
    """Templates compiled once, whichever application shows them."""

    def __init__(self) -> None:
        self._codes: dict[str, bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        if (code := self._codes.get(bucket.key)) is not None:
            bucket.bytecode_from_string(code)

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._codes[bucket.key] = bucket.bytecode_to_string()


def prepare() -> None:
    """Make once what every application needs: FastAPI takes longer to read routes than to answer."""
    include, guarded, new = FastAPI.include_router, desk.guarded, Environment.__init__
    compiled = Compiled()

    def include_once(app: FastAPI, router: APIRouter, **options: Any) -> None:
        known = vars(router).setdefault("included_once", {})
        if (key := repr(options)) in known:
            app.router.routes.extend(known[key])
        else:
            include(app, router, **options)
            known[key] = app.router.routes[-1:]

    def guard_once(router: APIRouter, *needs: str) -> APIRouter:
        known = vars(router).setdefault("guarded_once", {})
        if needs not in known:
            known[needs] = guarded(router, *needs)
        return known[needs]

    def new_environment(environment: Environment, *settings: Any, **named: Any) -> None:
        new(environment, *settings, **named)
        environment.bytecode_cache = environment.bytecode_cache or compiled

    cheap = (Argon2Hasher(time_cost=1, memory_cost=8, parallelism=1),)
    FastAPI.include_router = include_once
    desk.guarded = guard_once
    Environment.__init__ = new_environment
    PasswordHash.recommended = lambda: PasswordHash(cheap)
