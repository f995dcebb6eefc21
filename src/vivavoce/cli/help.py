"""What `--help` shows beside the options: verbs in the order of a study's life, and examples of each."""

import inspect
from typing import TYPE_CHECKING, Any, Final

from typer.core import TyperGroup

if TYPE_CHECKING:
    import typer

SECTIONS: Final[dict[str, tuple[str, ...]]] = {
    "Begin": ("demo", "init", "new", "check", "pairs", "talk", "bots"),
    "Run": ("serve", "simulate", "stress", "campaign", "recordings", "log", "erase"),
    "Data": ("export", "import", "annotate", "flags", "parse", "timing"),
    "Figures": ("measure", "analyse", "power", "confidence", "predict", "understand"),
    "Texts": ("report", "preregister"),
}

EXAMPLES: Final[dict[str, tuple[str, ...]]] = {
    "demo": ("", "--out trial --dialogues 40 --no-serve"),
    "init": ("my-study", "my-study --protocol guerini-2018"),
    "new": ("measure apologies", "connector my-desk --folder desk"),
    "check": ("my-study", "my-study --no-bots --json"),
    "pairs": ("my-study --language it",),
    "talk": ("my-study nbest", "my-study nbest --language it --save transcript.jsonl"),
    "bots run": ("restaurant --port 9101 --variant nbest --domain my-study/restaurants.yaml",),
    "serve": ("my-study", "my-study --port 8010 --desk-port 8011",
              "my-study --log postgresql://vivavoce@localhost/trials"),
    "simulate run": ("my-study --dialogues 40", "my-study --language it --word-error-rate 0.25"),
    "simulate train": ("my-study --system learner --out policy.json",),
    "simulate tasks": ("telco --number 30 --language it --out my-study/tasks.yaml",),
    "simulate fit": ("real --out callers.yaml",),
    "simulate compare": ("real simulated --figures figures",),
    "stress propose": ('"I am looking for a cheap restaurant" --language en --test ST-1',),
    "stress review": ("my-study --propose --system nbest", "my-study --reviewer anna --csv queue.csv",
                      "my-study --system nbest --freeze suite.yaml"),
    "stress run": ("my-study --system nbest --sample 20", "suite.yaml --fail-under 0.9 --junit junit.xml"),
    "stress recogniser": ("dataset said.csv trial.yaml",),
    "stress judge": ("pairs.csv --judge https://llm.example/v1 --judge-model some-model --fail-under 0.8",),
    "stress score": ("dataset --json",),
    "campaign init": ("idial",),
    "campaign check": ("idial",),
    "campaign draft": ("idial --system telco",),
    "campaign run": ("idial --users 10", "idial --system telco --people"),
    "campaign report": ("idial --no-pdf",),
    "campaign score": ("idial --json",),
    "campaign status": ("idial",),
    "campaign answers": ("idial --sheets --language it", "idial"),
    "campaign export": ("idial --out idial.zip",),
    "campaign serve": ("idial",),
    "campaign commands-begin": ("shared --from kitchen/test --name kitchen",),
    "campaign commands-score": ("shared --page leaderboard.html",),
    "import": ("dstc2 Mar13_S0A0.tar.gz --into calls",),
    "export": ("my-study --into results", "my-study --into results --only people --csv tables"),
    "recordings": ("my-study --verify", "my-study --erase PARTICIPANT", "my-study --expire"),
    "log verify": ("my-study", "my-study --log postgresql://vivavoce@localhost/trials --json"),
    "log rebuild": ("my-study", "my-study/log.sqlite --json"),
    "erase": ("my-study PARTICIPANT",),
    "flags": ("results", "results --rules rules.yaml --into flagged"),
    "parse": ("results", "results --domain my-domain.yaml --into read"),
    "timing": ("results --into timed", "calls recordings/ --into timed --channels system,user"),
    "measure": ("results --by system", "results --only recognition --csv recognition.csv", "--list"),
    "confidence": ("results --by system --figure diagram.svg",),
    "analyse": ("results", "rates A=259/403 B=263/390", "results --measure user_turns --pair nbest:onebest",
        "results --model 'success ~ system + order + (1|participant) + (1|task)'"),
    "power": ("two-rates .45 .50", "--study my-study", "two-rates .4 .7 --pilot results --design within"),
    "predict evaluate": ("results --target satisfaction",),
    "predict correlate": ("results",),
    "predict explain": ("results --target satisfaction --out figures",),
    "predict fit": ("results --target satisfaction --model ordinal --out model.json",),
    "predict score": ("results --model model.json",),
    "annotate out": ("my-study --into forms --blank --annotator dora", "results --into tables"),
    "annotate in": ("my-study forms", "results said.csv --into transcribed"),
    "annotate items": ("my-study --into transcribing/items.csv",),
    "annotate transcripts": ("transcribing --into said.csv --manifest train.jsonl",),
    "annotate commands-out": ("my-study --into annotated",),
    "annotate commands-in": ("my-study kitchen/reference --annotator anna",),
    "understand score": ("reference/ answers/",),
    "understand compare": ("reference/ answers-of-one/ answers-of-another/",),
    "understand check": ("commands/ --templates kitchen-en --propose",),
    "understand train": ("kitchen/training --system d --into system-d",),
    "understand predict": ("system-d kitchen/test --into answers",),
    "understand evaluate": ("system-d kitchen/test",),
    "understand generate": ("--language en --into kitchen",),
    "report": ("results", "results --out report.pdf --language it", "results --against last-version",
               "results --out - --sections results,flow"),
    "preregister": ("my-study --shape osf --out preregistration.md",),
}  # fmt: skip


class Sectioned(TyperGroup):
    """The list of all verbs, by what one does with them."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        shown = {name: verb for name in self.list_commands(ctx) if not (verb := self.commands[name]).hidden}
        listed = {name for names in SECTIONS.values() for name in names}
        others = tuple(name for name in shown if name not in listed)
        width = max(len(name) for name in shown)
        for title, names in {**SECTIONS, "More": others}.items():
            rows = [
                (n.ljust(width), shown[n].get_short_help_str(formatter.width)) for n in names if n in shown
            ]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


def add_examples(app: "typer.Typer", above: str = "") -> None:
    """Put each verb's examples under its help, and let lists show its first sentence whole.

    `above` is the group that it belongs to.
    """
    for verb in app.registered_commands:
        told = inspect.getdoc(verb.callback) if verb.callback else None
        verb.short_help = verb.short_help or (" ".join(told.split("\n\n")[0].split()) if told else None)
        name = f"{above} {verb.name}".strip()
        if name in EXAMPLES:
            called = f"vivavoce {name.removesuffix(' run') if name == 'simulate run' else name}"
            lines = "\n".join(f"  {called} {one}".rstrip() for one in EXAMPLES[name])
            verb.epilog = f"\b\nExamples:\n{lines}"
    for group in app.registered_groups:
        if group.typer_instance is not None and isinstance(group.name, str):
            add_examples(group.typer_instance, f"{above} {group.name}".strip())
