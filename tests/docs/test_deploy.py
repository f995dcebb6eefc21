"""The files under deploy/ are what they are taken for, and say what the service understands."""

import configparser
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML
from typer.main import get_command

from vivavoce.cli.main import app
from vivavoce.participant import health
from vivavoce.participant.security import RECORDING_CAP

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
COMPOSE = YAML(typ="safe", pure=True).load((DEPLOY / "compose" / "compose.yaml").read_text("utf-8"))
MANIFESTS = list(
    YAML(typ="safe", pure=True).load_all((DEPLOY / "kubernetes" / "vivavoce.yaml").read_text("utf-8"))
)
PROXIES = [DEPLOY / "proxy" / name for name in ("Caddyfile", "nginx.conf")]


def unit() -> configparser.ConfigParser:
    parser = configparser.ConfigParser(interpolation=None, delimiters=("=",), comment_prefixes=("#",))
    parser.optionxform = str  # type: ignore[assignment, method-assign]
    parser.read(DEPLOY / "systemd" / "vivavoce@.service", encoding="utf-8")
    return parser


def manifest(kind: str, name: str) -> dict[str, Any]:
    return next(one for one in MANIFESTS if one["kind"] == kind and one["metadata"]["name"] == name)


def commands() -> dict[str, list[str]]:
    """What follows `vivavoce`, by the file in which it stands."""
    container = manifest("Deployment", "vivavoce")["spec"]["template"]["spec"]["containers"][0]
    in_pod = container["args"][0].partition("exec vivavoce ")[2]
    return {
        "compose": [str(word) for word in COMPOSE["services"]["service"]["command"]],
        "systemd": shlex.split(unit()["Service"]["ExecStart"])[1:],
        "kubernetes": shlex.split(in_pod),
    }


@pytest.mark.parametrize("name", ["compose", "systemd", "kubernetes"])
def test_what_is_run_is_a_verb_with_options_that_it_has(name: str) -> None:
    verb, *words = commands()[name]
    command: Any = get_command(app)
    known = {option for one in command.commands[verb].params for option in one.opts}
    assert verb == "serve"
    assert "--secure-cookies" in words, "a proxy with TLS stands before it"
    assert [word for word in words if word.startswith("--") and word not in known] == []


def test_one_service_has_a_log_and_is_replaced_not_doubled() -> None:
    spec = manifest("Deployment", "vivavoce")["spec"]
    assert (spec["replicas"], spec["strategy"]) == (1, {"type": "Recreate"})


def test_a_service_is_asked_how_it_is_where_it_answers() -> None:
    container = manifest("Deployment", "vivavoce")["spec"]["template"]["spec"]["containers"][0]
    asked = container["readinessProbe"]["httpGet"]
    ports = {one["name"]: one["containerPort"] for one in container["ports"]}
    assert asked["path"] in {route.path for route in health.router.routes}  # type: ignore[attr-defined]
    assert ports == {"trial": 8000, "desk": 8001} and asked["port"] == "trial"


def test_whoever_stops_it_lets_the_parent_stop_its_workers() -> None:
    service = unit()["Service"]
    assert service["KillMode"] == "mixed"
    assert {"130", "143"} <= set(service["SuccessExitStatus"].split())
    assert {"Unit", "Service", "Install"} == set(unit().sections())
    keys = {"Type", "User", "ExecStart", "Restart", "ReadWritePaths", "EnvironmentFile", "TimeoutStopSec"}
    assert keys <= set(service)


@pytest.mark.parametrize("file", PROXIES, ids=lambda file: file.name)
def test_a_proxy_knows_both_ports_and_takes_the_longest_recording(file: Path) -> None:
    text = file.read_text("utf-8")
    assert "127.0.0.1:8000" in text and "127.0.0.1:8001" in text
    most = [int(size) for size in re.findall(r"(?:max_size|max_body_size) (\d+)[mM]", text)]
    assert most and min(most) * 1_000_000 >= RECORDING_CAP * 0.98
    assert text.count("{") == text.count("}")


def test_nginx_passes_on_websockets_and_the_address_that_it_sees() -> None:
    servers = re.findall(r"proxy_pass.*?\n {4}\}", PROXIES[1].read_text("utf-8"), flags=re.S)
    assert len(servers) == 2
    for server in servers:
        assert "proxy_set_header X-Forwarded-For $remote_addr;" in server
        assert "proxy_set_header Upgrade $http_upgrade;" in server and "proxy_http_version 1.1;" in server
        assert "proxy_buffering off;" in server


def test_no_secret_stands_in_a_file() -> None:
    example = (DEPLOY / "compose" / ".env.example").read_text("utf-8")
    assert re.search(r"^POSTGRES_PASSWORD=$", example, flags=re.M)
    wanted = set(re.findall(r"\$\{(\w+)", (DEPLOY / "compose" / "compose.yaml").read_text("utf-8")))
    assert wanted == set(re.findall(r"^(\w+)=", example, flags=re.M))
    secrets = [str(one) for one in MANIFESTS if one["kind"] == "Secret"]
    assert secrets == []


def test_what_a_file_mounts_or_builds_is_there() -> None:
    compose, services = DEPLOY / "compose", COMPOSE["services"]
    build = services["service"]["build"]
    assert (compose / build["context"] / build["dockerfile"]).is_file()
    mounted = [one.partition(":")[0] for one in services["proxy"]["volumes"] if one.startswith(".")]
    assert mounted and all((compose / one).is_file() for one in mounted)
    claims = {one["metadata"]["name"] for one in MANIFESTS if one["kind"] == "PersistentVolumeClaim"}
    assert claims == {"study", "backups"}
    assert set(re.findall(r"claimName': '(\w+)'", str(MANIFESTS))) == claims


def test_every_file_is_told_of_on_the_page() -> None:
    page = (ROOT / "docs" / "how-to" / "deploy.md").read_text("utf-8")
    for folder in ("compose", "systemd", "proxy", "kubernetes"):
        for file in (DEPLOY / folder).iterdir():
            assert f"deploy/{folder}/{file.name}" in page or file.name in page
