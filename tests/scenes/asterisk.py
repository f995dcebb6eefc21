"""A real Asterisk on the files of deploy/asterisk, installed here or in a folder of its own."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import pytest
import trustme

from scenes.patience import PATIENCE_S, eventually
from scenes.processes import free_port

ROOT: Final = Path(__file__).parents[2]
DEPLOYED: Final = ROOT / "deploy" / "asterisk"
DESK: Final = ("desk", "open-sesame")  # a telephone that registers: name and password
DESK_NUMBER: Final = "5550101"
VAULT: Final = ("vault", "open-wheat")  # another, by TLS and with encrypted sound alone
VAULT_NUMBER: Final = "5550102"
_OWN: Final = ("astetcdir", "astdbdir", "astrundir", "astlogdir", "astspooldir")


class RealAsterisk:
    """A running Asterisk: one telephone registers with it, and calls from loopback come as from a trunk."""

    def __init__(self, enter: list[str], root: Path, folder: Path) -> None:
        self.port, self.tls_port = free_port(), free_port()
        self.agi_port, self.audio_port = free_port(), free_port()
        self._folder = folder
        inside = Path("/") / folder.relative_to(root)
        self._command = [*enter, "asterisk", "-C", str(inside / "asterisk.conf")]
        self._configure(root, inside)
        self._said = (folder / "said.txt").open("wb")
        self._process = subprocess.Popen(
            [*self._command, "-f", "-vvv"], stdin=subprocess.DEVNULL, stdout=self._said, stderr=self._said
        )
        eventually(self._booted, "Asterisk does not start")

    def _configure(self, root: Path, inside: Path) -> None:
        for file in DEPLOYED.glob("*.conf"):
            shutil.copy(file, self._folder)
        installed = (root / "etc/asterisk/asterisk.conf").read_text()
        places = dict(re.findall(r"(?m)^(ast\w+dir) *=>? *(\S+)", installed))
        places |= dict.fromkeys(_OWN, str(inside))
        lines = [f"{name} => {place}" for name, place in places.items()]
        (self._folder / "asterisk.conf").write_text("\n".join(["[directories]", *lines, ""]))
        (self._folder / "extensions_local.conf").write_text(
            f"[globals](+)\nVIVAVOCE_AGI = 127.0.0.1:{self.agi_port}\n"
            f"VIVAVOCE_AUDIO = 127.0.0.1:{self.audio_port}\n"
        )
        trustme.CA().issue_cert("127.0.0.1").private_key_and_cert_chain_pem.write_to_path(
            self._folder / "own.pem"
        )
        (self._folder / "pjsip_local.conf").write_text(
            f"[udp](+)\nbind = 127.0.0.1:{self.port}\n"
            f"[tls]\ntype = transport\nprotocol = tls\nbind = 127.0.0.1:{self.tls_port}\n"
            f"cert_file = {inside}/own.pem\npriv_key_file = {inside}/own.pem\nmethod = tlsv1_2\n"
            + _telephone(DESK, DESK_NUMBER)
            + _telephone(VAULT, VAULT_NUMBER, "transport = tls\nmedia_encryption = sdes\n")
            + "[carrier](trunk)\n[carrier]\ntype = identify\nendpoint = carrier\nmatch = 127.0.0.1\n"
        )

    @property
    def way_in(self) -> str:
        """What the study file says of it."""
        return f'asterisk: {{agi: "127.0.0.1:{self.agi_port}", audio: "127.0.0.1:{self.audio_port}"}}'

    def said(self) -> str:
        return (self._folder / "said.txt").read_text(errors="replace")

    def ask(self, command: str) -> str:
        """What its console answers."""
        return subprocess.run(
            [*self._command, "-rx", command], capture_output=True, text=True, timeout=PATIENCE_S, check=False
        ).stdout

    def _booted(self) -> bool:
        assert self._process.poll() is None, self.said()[-3000:]
        return "fully booted" in self.ask("core waitfullybooted")

    def stop(self) -> None:
        self._process.terminate()
        try:
            self._process.wait(timeout=PATIENCE_S)
        finally:
            self._process.kill()
            self._said.close()


def _telephone(account: tuple[str, str], number: str, more: str = "") -> str:
    """A telephone that registers, as pjsip_local.conf.example has one."""
    name, password = account
    return (
        f"[{name}](telephone)\nauth = {name}\naors = {name}\ncallerid = <{number}>\n{more}"
        f"[{name}](telephone-auth)\nusername = {name}\npassword = {password}\n"
        f"[{name}](telephone-aor)\n"
    )


@contextmanager
def real_asterisk() -> Iterator[RealAsterisk]:
    """Asterisk, started; the test is skipped where there is none."""
    own = Path(os.environ.get("ASTERISK_ROOT", ROOT / ".asterisk")).resolve()
    if shutil.which("asterisk"):
        enter, root = [], Path("/")
    elif (own / "usr/sbin/asterisk").exists() and os.geteuid() == 0:
        enter, root = ["chroot", str(own)], own
    else:
        pytest.skip("no Asterisk that this user may start: make telephony, as root, installs one")
    with TemporaryDirectory(dir=root / "tmp", prefix="vivavoce-") as folder:
        asterisk = RealAsterisk(enter, root, Path(folder))
        try:
            yield asterisk
        finally:
            asterisk.stop()
