"""A dataset lies where it is told to, in a folder or an object store, and its numbers are the same."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
import pytest

from vivavoce.api.measuring import measurements
from vivavoce.audio.files import read_sound, write_sound
from vivavoce.audio.sound import Sound
from vivavoce.core.errors import InputError, MissingExtra
from vivavoce.core.executor import Processes
from vivavoce.core.paths import address_parts, is_elsewhere, resolve_path
from vivavoce.dataset.copying import copy_dataset
from vivavoce.dataset.reader import Dataset, replacing
from vivavoce.testing.sample_dialogues import write_sample


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    return write_sample(tmp_path_factory.mktemp("addresses") / "sample")


@pytest.fixture
def memory() -> str:
    pytest.importorskip("upath")
    return f"memory://datasets-{uuid4().hex}/calls"


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """An address in a bucket of a real server of S3's interface."""
    for package in ("upath", "s3fs", "moto.server"):
        pytest.importorskip(package)
    import s3fs  # pyright: ignore[reportMissingImports]
    from moto.server import ThreadedMotoServer  # pyright: ignore[reportMissingImports]

    server = ThreadedMotoServer(port=0, verbose=False)
    server.start()
    address = f"http://127.0.0.1:{server.get_host_and_port()[1]}"
    told = {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b", "AWS_DEFAULT_REGION": "us-east-1"}
    for name, value in told.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("AWS_ENDPOINT_URL", address)
    s3fs.S3FileSystem(endpoint_url=address).mkdir("research")
    yield "s3://research/calls"
    server.stop()


def facts_of(dataset: Dataset, **options: Any) -> dict[str, Any]:
    return measurements(Dataset(dataset.folder), "condition", None, **options).facts


def test_paths_stay_paths_and_an_address_may_have_lost_a_slash(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert resolve_path("results/calls") == Path("results/calls") and not is_elsewhere(tmp_path)
    assert address_parts("s3://research/calls") == address_parts(Path("s3://research/calls"))
    assert address_parts(Path("s3://research/calls")) == ("s3", "research/calls")
    monkeypatch.chdir(tmp_path)
    Path("s3:/research").mkdir(parents=True)
    assert address_parts(Path("s3:/research")) is None, "a folder that is here is a folder"


def test_without_the_extra_a_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vivavoce.core.extras.find_spec", lambda module: None)
    with pytest.raises(MissingExtra, match=r"\[addresses\]"):
        resolve_path("s3://research/calls")


def test_no_such_kind_of_address_is_a_line() -> None:
    pytest.importorskip("upath")
    with pytest.raises(InputError, match=r"^gopher://calls: .*gopher") as caught:
        resolve_path("gopher://calls")
    assert "\n" not in str(caught.value)


def test_a_dataset_in_memory_is_as_the_one_on_disk(sample: Dataset, memory: str) -> None:
    with pytest.raises(InputError, match=r"no dataset\.json in this folder"):
        Dataset(memory)
    made = copy_dataset(sample, Path(memory), {})  # as a verb is given it: a slash is gone
    assert str(made.folder) == memory and made.hash == sample.hash and not made.changed
    assert facts_of(made) == facts_of(sample)
    with pytest.raises(InputError, match="already contains the dataset of"):
        copy_dataset(sample, Path(memory), {})
    with replacing():
        assert copy_dataset(sample, Path(memory), {}).hash == sample.hash


def test_a_dataset_in_an_object_store_is_as_the_one_on_disk(sample: Dataset, store: str) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("vivavoce.dataset.writer.BUCKET", 2)
        made = copy_dataset(sample, Path(store), {})
    assert str(made.folder) == store and made.hash == sample.hash and made.buckets > 1
    assert facts_of(made) == facts_of(sample)
    spoken = Sound(np.arange(99, dtype=np.int16), 8000)
    for name in ("said.wav", "said.flac"):
        write_sound(spoken, resolve_path(f"{store}/recordings/{name}"))
        assert (
            read_sound(resolve_path(f"{store}/recordings/{name}")).samples.tolist() == spoken.samples.tolist()
        )
    with Processes(1) as engine:
        assert list(engine.map(buckets_of, [made])) == [made.buckets], "workers read it, too"


def buckets_of(dataset: Dataset) -> int:
    return len([dataset.bucket(number).read("turns") for number in range(dataset.buckets)])
