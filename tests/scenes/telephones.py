"""Real telephones: baresip, which a test plays like a person, and SIPp, which makes many calls at once."""

import json
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

import psutil

from scenes.patience import PATIENCE_S, eventually
from scenes.processes import free_port
from vivavoce.audio.files import encode_sound, read_sound
from vivavoce.audio.sound import Sound, joined, silence
from vivavoce_speech.telephony.g711 import PCMU

SILENCE_S: Final = 240  # baresip hangs up where a file of sound ends
SCENARIO: Final = Path(__file__).with_name("sipp_call.xml")


class Registrar(NamedTuple):
    """Where a telephone registers, on loopback: by UDP or TLS; encrypted: by SRTP, or it does not call."""

    port: int
    password: str
    tls: bool = False
    encrypted: bool = False


class Baresip:
    """A telephone in a folder of its own; what its owner hears is recorded there.

    registrar  the telephone exchange where it registers; None: it stands alone
    """

    def __init__(
        self, folder: Path, user: str, *, answers: bool = False, registrar: Registrar | None = None
    ) -> None:
        self.folder, self.user, self._answers, self._registrar = folder, user, answers, registrar
        self._sip_port = free_port()
        self._control_port = free_port()
        folder.mkdir(parents=True, exist_ok=True)
        self.quiet = folder / "quiet.wav"
        self.quiet.write_bytes(encode_sound(silence(SILENCE_S, 8000)))
        self._configure()
        with (folder / "baresip.txt").open("wb") as said:
            self._process = subprocess.Popen(
                ["baresip", "-f", str(folder)], stdin=subprocess.DEVNULL, stdout=said, stderr=said
            )
        self._control = self._connected()
        self._said = b""
        self._told: list[dict[str, Any]] = []
        if registrar is not None:
            eventually(lambda: "OK" in str(self.command("reginfo").get("data")), "not registered")

    def _configure(self) -> None:
        modules = "/usr/lib/baresip/modules"
        self.folder.joinpath("config").write_text(
            f"sip_listen 127.0.0.1:{self._sip_port}\n"
            "rtp_ports 10000-19998\n"  # none that is offered to others
            f"module_path {modules}\n"
            f"audio_source aufile,{self.quiet}\n"
            "audio_player aubridge,nowhere\naudio_alert aubridge,nowhere\n"
            "audio_level no\nrtp_timeout 0\n"
            "module g711.so\nmodule srtp.so\nmodule aufile.so\nmodule aubridge.so\nmodule sndfile.so\n"
            "module_tmp uuid.so\nmodule_tmp account.so\n"
            "module_app menu.so\nmodule_app ctrl_tcp.so\n"
            f"ctrl_tcp_listen 127.0.0.1:{self._control_port}\nsnd_path {self.folder}\n"
        )
        host, register = "127.0.0.1", "regint=0"
        if self._registrar is not None:
            port, password, tls, encrypted = self._registrar
            host = f"127.0.0.1:{port}" + (";transport=tls" if tls else "")
            register = f"regint=600;auth_pass={password}" + (";mediaenc=srtp-mand" if encrypted else "")
        self.folder.joinpath("accounts").write_text(
            f"<sip:{self.user}@{host}>;{register};audio_codecs=PCMU/8000/1"
            f"{';answermode=auto' if self._answers else ''}\n"
        )
        self.folder.joinpath("contacts").write_text("")

    def _connected(self) -> socket.socket:
        deadline = time.monotonic() + PATIENCE_S
        while True:
            try:
                control = socket.create_connection(("127.0.0.1", self._control_port), timeout=1)
                control.settimeout(PATIENCE_S)
                return control
            except OSError:
                if time.monotonic() > deadline or self._process.poll() is not None:
                    raise AssertionError((self.folder / "baresip.txt").read_text()) from None
                time.sleep(0.05)

    def command(self, command: str, parameters: str = "") -> dict[str, Any]:
        """Tell the telephone something; returns when it was taken."""
        body = json.dumps({"command": command, "params": parameters, "token": command})
        self._control.sendall(f"{len(body)}:{body},".encode())
        answer = self._wait(lambda one: one.get("response") and one.get("token") == command)
        assert answer["ok"], answer
        return answer

    @property
    def address(self) -> str:
        """Where it can be called."""
        return f"sip:{self.user}@127.0.0.1:{self._sip_port}"

    def wait_until_called(self) -> None:
        self._wait(lambda one: one.get("type") == "CALL_ESTABLISHED")

    def dial(self, address: str) -> None:
        self.command("dial", address)
        self._wait(lambda one: one.get("type") == "CALL_ESTABLISHED")

    def say(self, sound: Sound) -> None:
        """Speak into the telephone; the sound goes on while the test does."""
        path = self.folder / f"said-{time.monotonic_ns()}.wav"
        path.write_bytes(encode_sound(joined([sound, silence(SILENCE_S, 8000)], 8000)))
        self.command("ausrc", f"aufile,{path}")

    def press(self, keys: str) -> None:
        for key in keys:
            self.command("sndcode", key)
            self.command("sndcode", "\x04")

    def wait_for_key(self) -> str:
        """The next key that the other end presses."""
        told = self._wait(lambda one: one.get("type") == "CALL_DTMF_START")
        return str(told["param"])

    def hang_up(self) -> None:
        self.command("hangup")

    def wait_until_hung_up(self) -> dict[str, Any]:
        """What was told of the end."""
        return self._wait(lambda one: one.get("type") == "CALL_CLOSED")

    def heard(self) -> Sound:
        """Everything that came out of the telephone, in the last call."""
        path = max(self.folder.glob("dump-*-dec.wav"), key=lambda one: one.stat().st_mtime)
        return read_sound(path)

    def _wait(self, wanted: Any) -> dict[str, Any]:
        """The first message that is wanted, the others are kept for later."""
        while True:
            for place, message in enumerate(self._told):
                if wanted(message):
                    return self._told.pop(place)
            length, colon, rest = self._said.partition(b":")
            if colon and len(rest) > int(length):
                self._told.append(json.loads(rest[: int(length)]))
                self._said = rest[int(length) + 1 :]
                continue
            more = self._control.recv(65536)
            assert more, "the telephone is gone"
            self._said += more

    def stop(self) -> None:
        self._control.close()
        self._process.terminate()
        try:
            self._process.wait(timeout=PATIENCE_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


@contextmanager
def baresip(
    folder: Path, user: str = "4711", *, answers: bool = False, registrar: Registrar | None = None
) -> Iterator[Baresip]:
    telephone = Baresip(folder, user, answers=answers, registrar=registrar)
    try:
        yield telephone
    finally:
        telephone.stop()


def sipp_command(
    folder: Path,
    port: int,
    *,
    speech: Sound,
    keys: str,
    called: str = "100",
    calls: int = 1,
    wait_ms: int = 3000,
    rate: int = 10,
) -> list[str]:
    """The command with which SIPp calls: speaks, waits, presses keys, hangs up."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "caller.ul").write_bytes(PCMU.encode(speech.at(8000).samples))
    text = SCENARIO.read_text()
    for name, value in {
        "KEYS": keys,
        "KEYS_MS": str(2000 + 500 * len(keys)),
        "WAIT_MS": str(wait_ms),
        "SPEECH_MS": str(round(speech.duration_s * 1000) + 300),
    }.items():
        text = text.replace(f"@{name}@", value)
    (folder / "call.xml").write_text(text)
    return [
        "sipp",
        f"127.0.0.1:{port}",
        "-sf",
        "call.xml",
        "-s",
        called,
        "-i",
        "127.0.0.1",
        "-m",
        str(calls),
        "-l",
        str(calls),
        "-r",
        str(rate),
        "-nostdin",
        "-rtp_threadtasks",
        str(max(8, calls)),
        "-timeout",
        f"{PATIENCE_S:.0f}",
        "-timeout_error",
        "-mp",
        str(free_port()),
        "-p",
        str(free_port()),
    ]


def sipp(folder: Path, port: int, **more: Any) -> None:
    """Let SIPp call and wait until it has hung up; what it says is the error if a call failed."""
    ran = subprocess.run(
        sipp_command(folder, port, **more),
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=2 * PATIENCE_S,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert ran.returncode == 0, ran.stdout[-2000:] + ran.stderr[-2000:]


@contextmanager
def sipp_called(folder: Path, scenario: str) -> Iterator[str]:
    """SIPp as somebody who is called, once, by a scenario beside this file; its address.

    When the block ends the scenario must have been gone through; what SIPp says otherwise is the error.
    """
    folder.mkdir(parents=True, exist_ok=True)
    port = free_port()
    command = [
        "sipp",
        "-sf",
        str(SCENARIO.with_name(scenario)),
        "-i",
        "127.0.0.1",
        "-p",
        str(port),
        "-m",
        "1",
        "-nostdin",
        "-timeout",
        f"{PATIENCE_S:.0f}",
        "-timeout_error",
        "-mp",
        str(free_port()),
        "-trace_err",
        "-trace_screen",
    ]
    with (folder / "sipp.txt").open("wb") as said:
        process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=said, stderr=said)
    try:
        wait_until_bound(process, port, folder / "sipp.txt")
        yield f"sip:callee@127.0.0.1:{port}"
        code = process.wait(timeout=2 * PATIENCE_S)
        told = "".join(one.read_text(errors="replace") for one in folder.glob("*errors.log"))
        assert code == 0, told + (folder / "sipp.txt").read_text(errors="replace")[-3000:]
    finally:
        process.kill()
        process.wait()


def wait_until_bound(process: subprocess.Popen[bytes], port: int, told: Path) -> None:
    """Until a process holds this UDP port; who tried to bind it would keep it from the process."""

    def taken() -> bool:
        assert process.poll() is None, told.read_text(errors="replace")[-3000:]
        held = psutil.Process(process.pid).net_connections("udp")
        return any(one.laddr and one.laddr[1] == port for one in held)

    eventually(taken, "SIPp did not start")
