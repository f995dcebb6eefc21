"""Draws the recipes of the protocol `sugar-2018`, frame by frame, and writes their stimuli.yaml.

    python scripts/kitchen/draw.py

Each picture shows the kitchen as the bot `chef` has it after the commands before (its `World`; the facts stand
in the picture's `desc`), and what moves in this frame. A robot looks at it. Who wants no motion sees an arrow.
"""

import sys
from collections.abc import Iterator, Mapping
from copy import deepcopy
from io import StringIO
from pathlib import Path
from typing import Any, Final, NamedTuple

from ruamel.yaml import YAML

from vivavoce_bots.chef.notation import Predicate, read_predicates
from vivavoce_bots.chef.world import CONTAINERS, INGREDIENTS, World

HERE: Final = Path(__file__).parent
INTO: Final = HERE.parents[1] / "src" / "vivavoce_commands" / "protocols" / "sugar-2018" / "files"
WIDTH, HEIGHT = 640, 360
TOP, SHELF, STOVE = 270, 92, 232  # where things stand: worktop, shelf, hob
GRATE: Final = 16  # vessels stand so high above the hob, with flames below them
BURNERS: Final = (338, 430)
OVEN: Final = (384, 338)
SLOTS: Final = {
    1: (80,),
    2: (66, 180),
    3: (66, 158, 246),
    4: (72, 146, 194, 226),
}  # on the worktop, by how many
FIXED: Final = {
    "hob": ("fuoco", "fornello", (286, 218, 196, 54)),
    "oven": ("forno", "forno", (302, 286, 164, 60)),
}
ROUND: Final = "M{x1} {y1}Q{mx} {my} {x2} {y2}"
ENGLISH: Final = {**CONTAINERS, **INGREDIENTS, "tegame": "casserole"}
ITALIAN: Final = {word: name for name, word in ENGLISH.items()} | {
    name: word for name, (_, word, _) in FIXED.items()
}
Spot = tuple[float, float]

HEAD: Final = """\
# The recipes of the study, in moving pictures. A participant sees the frames one by one and tells the robot what to do.
# `shows` is read by screen readers; avoid the verb that you expect in the command.
# `say` holds commands of simulated participants; people never see it. `does`: the content as predicates.
# `things` lists targets for pointing (`pointing: true`): left, top, width and height, in per cent.
# For your own recipes, put pictures or films next to the study file and list them here.
recipes:
"""


# --- what things look like: around (0, 0), which is the middle of what they stand on ------------------------


def _vessel(name: str, inside: str) -> str:
    """A container that one can look into, with what is in it."""
    wide, high = {"padella": (104, 30), "pentola": (88, 62), "tegame": (112, 36), "ciotola": (84, 40)}[name]
    edge = wide // 2
    body = f"M{-edge} {-high}L{8 - edge} -4Q{8 - edge} 0 {14 - edge} 0H{edge - 14}Q{edge - 8} 0 {edge - 8} -4L{edge} {-high}"
    grip = {
        "padella": f'<path d="M{edge - 3} {8 - high}L{edge + 44} {-high}V{9 - high}L{edge - 5} {18 - high}Z" fill="#2b3438"/>',
        "pentola": "".join(
            f'<path d="M{side * edge} {16 - high}h{side * 13}v12h{-side * 11}" fill="none"/>'
            for side in (-1, 1)
        ),
        "tegame": "".join(
            f'<path d="M{side * edge} {6 - high}h{side * 15}v8h{-side * 13}" fill="none"/>'
            for side in (-1, 1)
        ),
        "ciotola": "",
    }[name]
    colour = {"padella": "#5c686d", "pentola": "#9fb0b8", "tegame": "#b65f3c", "ciotola": "#e7eef2"}[name]
    return f'{grip}<path d="{body}Z" fill="{colour}" fill-opacity=".35"/>{inside}<path d="{body}" fill="none" stroke="{colour}" stroke-width="6"/>'


def _inside(name: str, ones: list[str], world: World) -> str:
    """What is in a container: liquids as a level, the rest in a row."""
    wide = {"padella": 84, "pentola": 70, "tegame": 92, "ciotola": 62}[name]
    deep = {"padella": 16, "pentola": 34, "tegame": 18, "ciotola": 20}[name]
    found = [
        f'<path d="M{-wide / 2} {-deep}H{wide / 2}L{wide / 2 - 4} -5H{4 - wide / 2}Z" fill="{LIQUIDS[one]}" stroke="none"/>'
        for one in ones
        if one in LIQUIDS
    ]
    solid = [one for one in ones if one not in LIQUIDS]
    for at, one in enumerate(solid):
        x = (at + 0.5) / len(solid) * wide - wide / 2
        if one == "sale":
            found += [
                f'<circle cx="{x + dx}" cy="{-8 - dy}" r="1.6" fill="#fff" stroke-width="1"/>'
                for dx, dy in ((-7, 3), (0, 7), (8, 2))
            ]
        else:
            brown = (
                ""
                if (name, one) not in world.cooked
                else '<ellipse cx="0" cy="-10" rx="18" ry="7" fill="#8a4b16" fill-opacity=".35" stroke="none"/>'
            )
            found.append(
                f'<g transform="translate({x:.0f} -5) scale(.6)">{food(one, world.worked.get(one, set()))}{brown}</g>'
            )
    return "".join(found)


LIQUIDS: Final = {"acqua": "#9cc9e8", "latte": "#fdfbf2", "olio": "#e9c84a"}


def food(name: str, worked: set[str] | frozenset[str] = frozenset()) -> str:
    """An ingredient, as it is after what was done to it."""
    if name == "uova":
        if "girato" in worked:
            return '<path d="M-36 0Q-34 -15 -8 -12Q26 -18 36 0Z" fill="#f3dfb0"/><path d="M-22 -4h12M2 -6h16" stroke="#b9873d"/>'
        if "aperto" in worked:
            return '<path d="M-38 0Q-34 -12 -6 -10Q26 -14 38 0Z" fill="#fff"/><circle cx="-14" cy="-9" r="8" fill="#f2b632"/><circle cx="14" cy="-9" r="8" fill="#f2b632"/>'
        return "".join(
            f'<ellipse cx="{x}" cy="-15" rx="11" ry="15" fill="#f6e3c8"/><path d="M{x - 8} -16l5 -4l5 5l5 -4" fill="none" stroke-width="2"/>'
            for x in (-13, 13)
        )
    if name == "patate":
        if "schiacciato" in worked:
            return '<path d="M-32 0Q-26 -24 -8 -18Q4 -32 16 -17Q28 -18 32 0Z" fill="#f4dd8a"/>'
        colour = "#f4dd8a" if "sbucciato" in worked else "#b98a53"
        return "".join(
            f'<ellipse cx="{x}" cy="{y}" rx="17" ry="11" fill="{colour}"/>'
            for x, y in ((-17, -11), (17, -11), (0, -24))
        )
    if name == "pomodoro":
        if "passato" in worked:
            return '<path d="M-28 0Q-20 -18 0 -14Q22 -18 28 0Z" fill="#d43d2a"/>'
        return '<circle cx="0" cy="-17" r="17" fill="#d43d2a"/><path d="M-8 -33Q0 -26 8 -33M0 -28v-9" stroke="#3d7d42" stroke-width="4"/>'
    if name == "aglio":
        colour = "#fffdf4" if "sbucciato" in worked else "#e3cfe0"
        return f'<path d="M0 -36Q4 -26 14 -18Q20 0 0 0Q-20 0 -14 -18Q-4 -26 0 -36Z" fill="{colour}"/><path d="M0 -24V-2M-6 -20Q-10 -10 -6 -2M6 -20Q10 -10 6 -2" stroke-width="1.5"/>'
    if name == "formaggio":
        if "grattugiato" in worked:
            return '<path d="M-26 -3l12 -4M-18 -9l14 3M-6 -2l12 -5M2 -10l12 4M12 -3l14 -5M-10 -15l12 3M6 -16l10 3" stroke="#f0b429" stroke-width="5"/>'
        return '<path d="M-26 0V-16L22 -32V0Z" fill="#f6c945"/><circle cx="-8" cy="-8" r="4" fill="#e0a92b"/><circle cx="10" cy="-14" r="4" fill="#e0a92b"/>'
    return PLAIN[name]


PLAIN: Final = {
    "burro": '<path d="M-20 0V-18L-12 -25H22V-7L14 0Z" fill="#f7e08a"/><path d="M-20 -18H14V0M14 -18L22 -25" fill="none"/>',
    "sale": '<path d="M-11 0L-8 -30H8L11 0Z" fill="#eef2f4"/><path d="M-8 -30Q0 -42 8 -30Z" fill="#9fb0b8"/><path d="M-4 -20Q4 -22 0 -14Q-4 -8 4 -8" stroke-width="2"/>',
    "acqua": '<path d="M-17 0L-14 -42H14L17 0Z" fill="#dbeef8"/><path d="M-16 -4L-15 -26H15L16 -4Z" fill="#9cc9e8" stroke="none"/><path d="M15 -34h11v20h-10" fill="none"/>',
    "latte": '<path d="M-13 0V-30L-6 -40V-48H6V-40L13 -30V0Z" fill="#fdfbf2"/><path d="M-13 -20H13" stroke="#5b8fb9" stroke-width="6"/>',
    "olio": '<path d="M-11 0V-32L-4 -42V-54H4V-42L11 -32V0Z" fill="#e9c84a"/>',
    "pasta": '<path d="M-10 0L-14 -50M-5 0L-7 -52M0 0V-53M5 0L7 -52M10 0L14 -50" stroke="#e0b354" stroke-width="4"/><path d="M-10 -22H10" stroke="#b1452f" stroke-width="7"/>',
    "coperchio": '<path d="M-54 0Q-48 -18 0 -20Q48 -18 54 0Z" fill="#9fb0b8"/><circle cx="0" cy="-25" r="6" fill="#2b3438"/>',
}
TOOLS: Final = {
    "spoon": '<path d="M0 0L26 -84" stroke="#b98a53" stroke-width="7"/><ellipse cx="-3" cy="8" rx="10" ry="14" fill="#b98a53"/>',
    "knife": '<path d="M-40 -6L18 -10Q10 4 -40 2Z" fill="#eef2f4"/><rect x="17" y="-14" width="34" height="11" rx="5" fill="#2b3438"/>',
    "fork": '<path d="M0 -16V-76M-10 0V-14Q0 -22 10 -14V0M-3 0V-16M3 0V-16" stroke-width="4"/>',
    "grater": '<path d="M-20 0L-12 -70H12L20 0Z" fill="#c3ccd0"/><path d="M-8 -56h4M4 -56h4M-10 -42h4M0 -42h4M9 -42h4M-10 -28h4M0 -28h4M9 -28h4M-12 -14h4M0 -14h4M11 -14h4" stroke-width="3"/>',
    "sieve": '<path d="M-40 -42H40Q36 -8 0 -8Q-36 -8 -40 -42Z" fill="#eef2f4"/><path d="M-28 -40Q-20 -16 -6 -10M0 -42V-10M28 -40Q20 -16 6 -10M40 -42h30" fill="none" stroke-width="2"/>',
    "glass": '<circle cx="0" cy="-30" r="26" fill="#dbeef8" fill-opacity=".5"/><path d="M18 -12L40 12" stroke-width="8"/>',
}
DRAWN: Final = {
    "padella": (-54, -34, 154, 38),
    "pentola": (-60, -66, 120, 70),
    "tegame": (-72, -40, 144, 44),
    "ciotola": (-44, -44, 88, 48),
    "coperchio": (-56, -34, 112, 38),
}


def box(name: str) -> tuple[float, float, float, float]:
    """Left, top, width and height of a thing around what it stands on."""
    return DRAWN.get(name, (-22, -52, 44, 56))


# --- where things are -------------------------------------------------------------------------------------


def spots(world: World, known: list[str], slots: list[str]) -> dict[str, Spot]:
    """Where everything of a recipe stands; what is in a container has no place of its own.

    slots  what stands on the worktop at any time of the recipe, so that nothing changes its place there
    """
    found: dict[str, Spot] = {}
    held = {one for ones in world.inside.values() for one in ones}
    here = _on_worktop(world, known)
    burners = [one for one in known if world.place.get(one) == "fuoco"]
    shelf = dict(zip(known, _along(known), strict=True))
    for name in known:
        if name in burners:
            found[name] = BURNERS[burners.index(name)], STOVE - GRATE
        elif world.place.get(name) == "forno":
            found[name] = OVEN
        elif name in here:
            found[name] = SLOTS[len(slots)][slots.index(name)], TOP
        elif name not in held:
            found[name] = shelf[name], SHELF
    under = next((one for one in known if one in world.covered), None)
    if under is not None and "coperchio" in known:
        high = {"padella": 30, "tegame": 36, "pentola": 62}
        found["coperchio"] = (found[under][0], found[under][1] - high[under])
    return found


def _along(known: list[str]) -> Iterator[float]:
    """Where each thing stands on the shelf, side by side."""
    at = 22.0
    for name in known:
        left, _, wide, _ = box(name)
        yield at - left
        at += wide


def _on_worktop(world: World, known: list[str]) -> list[str]:
    """What was taken, worked on, filled or taken off, and is nowhere else."""
    held = {one for ones in world.inside.values() for one in ones}
    touched = (
        world.taken
        | {one for one, how in world.worked.items() if how}
        | {one for one, ones in world.inside.items() if ones}
    )
    return [one for one in known if one in touched and one not in held and one not in world.place]


class Move(NamedTuple):
    """What moves: its drawing, where it begins, over which point it goes, where it ends, and how.

    turn  degrees at the end; small: it shrinks to go into something; to_and_fro: it comes back, again and again
    """

    drawing: str
    begin: Spot
    over: Spot
    end: Spot
    turn: int = 0
    small: bool = False
    to_and_fro: bool = False


def move_of(
    command: Predicate, things: list[str], before: World, was: dict[str, Spot], is_: dict[str, Spot]
) -> list[Move]:
    """What moves while a command is carried out, from where it was to where it is."""
    action = command.action
    vessel = next((one for one in reversed(things) if one in CONTAINERS), None)
    eaten = [one for one in things if one in INGREDIENTS and one not in ("coperchio", "cucchiaio")]
    if action in ("mettere", "prendere", "togliere") and vessel is not None and not eaten:
        drawing = _vessel(vessel, _inside(vessel, before.inside.get(vessel, []), before))
        return [_arc(drawing, was[vessel], is_[vessel])]
    if action in ("coprire", "scoprire"):
        return [_arc(PLAIN["coperchio"], was["coperchio"], is_["coperchio"])]
    if action in ("mettere", "aggiungere", "aprire") and vessel is not None:
        x, y = was[vessel]
        return [
            _arc(
                food(one, before.worked.get(one, set())),
                was[one],
                (x + (at - (len(eaten) - 1) / 2) * 30, y - 24),
                small=True,
            )
            for at, one in enumerate(eaten)
        ]
    holder = next((one for one, inside in before.inside.items() if set(eaten) & set(inside)), vessel)
    x, y = was[holder] if holder is not None else is_[eaten[0]]
    if action == "girare":
        return [
            Move(food("uova", before.worked["uova"]), (x, y - 6), (x - 10, y - 130), (x, y - 6), turn=180)
        ]
    if action == "mescolare":
        return [Move(TOOLS["spoon"], (x - 20, y - 18), (x, y - 26), (x + 20, y - 18), to_and_fro=True)]
    if action == "controllare":
        return [_arc(TOOLS["glass"], (x + 130, y - 130), (x, y - 24))]
    if action == "sbucciare":
        return [Move(TOOLS["knife"], (x - 8, y - 34), (x, y - 22), (x + 10, y - 8), to_and_fro=True)]
    if action == "schiacciare":
        return [Move(TOOLS["fork"], (x, y - 60), (x, y - 40), (x, y - 18), to_and_fro=True)]
    if action == "grattare":
        return [
            Move(food("formaggio"), (x + 30, y - 66), (x + 32, y - 46), (x + 36, y - 26), to_and_fro=True)
        ]
    if action == "passare":
        return [Move(food("pomodoro"), (x - 14, y - 44), (x, y - 36), (x + 14, y - 44), to_and_fro=True)]
    return []


def _arc(drawing: str, begin: Spot, end: Spot, *, small: bool = False) -> Move:
    top = min(begin[1], end[1]) - 46
    return Move(drawing, begin, ((begin[0] + end[0]) / 2, max(top, 34)), end, small=small)


# --- the picture ------------------------------------------------------------------------------------------


def picture(
    command: Predicate, before: World, after: World, known: list[str], slots: list[str]
) -> tuple[str, dict[str, list[float]]]:
    """The drawing of a frame, and where each thing is in it, in per cent."""
    things = command.things()
    was, is_ = spots(before, known, slots), spots(after, known, slots)
    moving = _moving(command, things)
    for name in things:  # what is worked on or filled has come to the worktop
        worked = name not in moving or command.action in ("passare", "grattare")
        if name in was and worked and was[name][1] == SHELF:
            was[name] = is_[name]
    moves = move_of(command, things, before, was, is_)
    boxes = {name: _percent((0, 0), at) for name, (_, _, at) in FIXED.items()}
    boxes |= {ENGLISH[name]: _percent(spot, box(name)) for name, spot in was.items()}
    heat = command.action == "cuocere"
    parts = [_room(hot=heat and "forno" in before.place.values(), burners=_lit(command, things, before))]
    parts += [_at(drawing, *spot) for drawing, spot in _standing(was, before, moving)]
    parts += [
        *_tools(command, was, things),
        *([_clock()] if heat else []),
        _robot(moves[0].end if moves else (384, 240)),
    ]
    parts += [f'<g class="m{at}">{one.drawing}</g>' for at, one in enumerate(moves)]
    parts += [_arrow(one) for one in moves if not one.to_and_fro]
    desc = "; ".join(sorted(before.facts()))
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" stroke="#2b3438" stroke-width="3" '
        f'stroke-linecap="round" stroke-linejoin="round" fill="none">\n<desc>{desc}</desc>\n<style>{_styles(moves)}</style>\n'
    )
    return svg + "\n".join(parts) + "\n</svg>\n", boxes


def _moving(command: Predicate, things: list[str]) -> set[str]:
    if command.action in ("coprire", "scoprire"):
        return {"coperchio"}
    if command.action in ("mettere", "aggiungere", "aprire", "prendere", "togliere"):
        eaten = {one for one in things if one in INGREDIENTS}
        return eaten or {one for one in things if one in CONTAINERS}
    return set(things) if command.action in ("passare", "grattare") else set()


def _standing(was: Mapping[str, Spot], world: World, moving: set[str]) -> Iterator[tuple[str, Spot]]:
    for name, spot in was.items():
        if name in CONTAINERS and name not in moving:
            yield _vessel(name, _inside(name, world.inside.get(name, []), world)), spot
    for name, spot in was.items():
        if name not in CONTAINERS and name not in moving:
            yield food(name, world.worked.get(name, set())), spot


def _lit(command: Predicate, things: list[str], before: World) -> list[tuple[float, bool]]:
    """Burners under vessels, and whether their flames are high."""
    on = [one for one, place in before.place.items() if place == "fuoco"]
    cooking = command.action == "cuocere"
    gone = things if command.action == "togliere" else []
    lit = [(BURNERS[at], one) for at, one in enumerate(on) if before.inside.get(one)]
    return [(x, cooking and one in things) for x, one in lit if one not in gone]


def _tools(command: Predicate, was: Mapping[str, Spot], things: list[str]) -> list[str]:
    """What a thing is worked on with, and what falls from it."""
    name, falling = {
        "grattare": ("grater", "#f0b429"),
        "passare": ("sieve", "#d43d2a"),
        "sbucciare": ("", "#b98a53"),
    }.get(command.action, ("", ""))
    if not falling:
        return []
    x, y = was[things[0]]
    y -= 14 if name == "sieve" else 0
    drops = "".join(
        f'<path class="drop d{at}" d="M{x + dx} {y - 8}v5" stroke="{falling}" stroke-width="5"/>'
        for at, dx in enumerate((-12, 2, 14))
    )
    return [*([_at(TOOLS[name], x, y)] if name else []), drops]


def _room(*, hot: bool, burners: list[tuple[float, bool]]) -> str:
    glow = "#f08a24" if hot else "#39444a"
    flames = "".join(
        f'<path class="{"flame" if high else "low"}" d="M{x + dx} {STOVE}q-8 -{9 if high else 4} 0 -{18 if high else 8}q8 {9 if high else 4} 0 {18 if high else 8}z" fill="#f08a24"/>'
        for x, high in burners
        for dx in (-27, -9, 9, 27)
    )
    return (
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fbfaf6" stroke="none"/>'
        f'<rect y="{TOP}" width="{WIDTH}" height="{HEIGHT - TOP}" fill="#d9c3a0" stroke="none"/>'
        f'<path d="M0 {TOP}H{WIDTH}M20 {SHELF}H500" fill="none"/><path d="M20 {SHELF}v8H500v-8" fill="#d9c3a0"/>'
        f'<rect x="286" y="{STOVE + 10}" width="196" height="110" rx="6" fill="#c3ccd0"/>'
        f'<rect x="296" y="{STOVE}" width="176" height="10" rx="3" fill="#5c686d"/>'
        f'<rect x="302" y="288" width="164" height="56" rx="6" fill="{glow}"{" class=" + chr(34) + "glow" + chr(34) if hot else ""}/>'
        f'<circle cx="330" cy="264" r="8" fill="#fff"/><circle cx="384" cy="264" r="8" fill="#fff"/><circle cx="438" cy="264" r="8" fill="#fff"/>{flames}'
    )


def _clock() -> str:
    return '<circle cx="270" cy="160" r="28" fill="#fff"/><path class="hand" d="M270 160V140"/><circle cx="270" cy="160" r="3" fill="#2b3438"/>'


def _robot(looks_at: Spot) -> str:
    """The robot of the kitchen: a hat, an apron, eyes that blink and look at what is going on."""
    dx = -5 if looks_at[0] < 480 else 0
    dy = max(-4.0, min(5.0, (looks_at[1] - 170) / 30))
    eyes = "".join(
        f'<circle cx="{x}" cy="168" r="11" fill="#fff"/><circle cx="{x + dx}" cy="{168 + dy:.1f}" r="5" fill="#2b3438" stroke="none"/>'
        f'<circle class="lid" cx="{x}" cy="168" r="11" fill="#8ec1b5"/>'
        for x in (550, 582)
    )
    return (
        '<path d="M532 256h68l8 92h-84z" fill="#8ec1b5"/><path d="M542 262h48l4 62h-56z" fill="#fff"/><path d="M552 290h28" stroke="#b1452f"/>'
        '<g class="arm"><path d="M534 268Q506 280 500 300" stroke="#8ec1b5" stroke-width="13"/><circle cx="499" cy="303" r="9" fill="#8ec1b5"/></g>'
        '<path d="M598 268Q620 284 618 310" stroke="#8ec1b5" stroke-width="13"/><circle cx="618" cy="314" r="9" fill="#8ec1b5"/>'
        '<g class="head"><path d="M566 216v40" stroke-width="10"/><rect x="520" y="138" width="92" height="82" rx="24" fill="#8ec1b5"/>'
        f'{eyes}<path d="M548 198Q566 210 584 198" fill="none"/><circle cx="534" cy="192" r="6" fill="#e8a08c" stroke="none"/><circle cx="598" cy="192" r="6" fill="#e8a08c" stroke="none"/>'
        '<path d="M534 138v-22q-16 -6 -8 -22q10 -14 24 -6q10 -14 26 -6q14 -8 22 6q10 14 -4 28v22z" fill="#fff"/></g>'
    )


def _at(drawing: str, x: float, y: float) -> str:
    return f'<g transform="translate({x:.0f} {y:.0f})">{drawing}</g>'


def _arrow(one: Move) -> str:
    (x1, y1), (mx, my), (x2, y2) = one.begin, one.over, one.end
    if one.turn:
        x1, x2 = x1 - 70, x2 + 62
    else:
        y1, y2 = y1 - 50, y2 - 44
    mx, my = 2 * mx - (x1 + x2) / 2, max(2 * my - (y1 + y2) / 2, 14)
    return (
        f'<g stroke="#17606b" stroke-width="5" fill="none" opacity=".75"><path d="{ROUND.format(x1=round(x1), y1=round(y1), mx=round(mx), my=round(my), x2=round(x2), y2=round(y2))}"/>'
        f'<path d="M{round(x2) - 9} {round(y2) - 11}L{round(x2)} {round(y2)}L{round(x2) + 10} {round(y2) - 10}"/></g>'
    )


def _styles(moves: list[Move]) -> str:
    """What moves and how; without motion everything stands where it begins."""
    lines = [
        ".lid{opacity:0;animation:blink 5s infinite}@keyframes blink{0%,94%,100%{opacity:0}96%,98%{opacity:1}}",
        ".head{transform-origin:566px 220px;animation:nod 6s ease-in-out infinite}@keyframes nod{0%,70%,100%{transform:none}80%{transform:rotate(-4deg)}}",
        ".arm{transform-origin:534px 268px;animation:wave 4s ease-in-out infinite}@keyframes wave{0%,100%{transform:none}50%{transform:rotate(9deg)}}",
        ".flame{transform-box:fill-box;transform-origin:bottom;animation:burn .7s ease-in-out infinite alternate}@keyframes burn{to{transform:scaleY(1.5)}}",
        ".hand{transform-origin:270px 160px;animation:turn 4s linear infinite}@keyframes turn{to{transform:rotate(360deg)}}",
        ".glow{animation:glow 1s ease-in-out infinite alternate}@keyframes glow{to{fill:#d4571a}}",
        ".drop{animation:fall 1.2s linear infinite}.d1{animation-delay:.4s}.d2{animation-delay:.8s}@keyframes fall{to{transform:translateY(9px);opacity:0}}",
    ]
    for at, one in enumerate(moves):
        begin, over, end = (f"translate({x:.0f}px,{y:.0f}px)" for x, y in (one.begin, one.over, one.end))
        gone = " scale(.5)" if one.small else f" rotate({one.turn}deg)" if one.turn else ""
        if one.to_and_fro:
            lines.append(
                f".m{at}{{transform:{begin};animation:m{at} 1.1s ease-in-out infinite alternate}}@keyframes m{at}{{50%{{transform:{over}}}to{{transform:{end}}}}}"
            )
        else:
            half = f" rotate({one.turn // 2}deg)" if one.turn else ""
            lines.append(
                f".m{at}{{transform:{begin};animation:m{at} 4s ease-in-out infinite}}"
                f"@keyframes m{at}{{0%,12%{{transform:{begin}}}45%{{transform:{over}{half}}}75%,100%{{transform:{end}{gone}}}}}"
            )
    return "".join(lines) + "@media(prefers-reduced-motion:reduce){*{animation:none!important}}"


def _percent(spot: Spot, found: tuple[float, float, float, float]) -> list[float]:
    left, top = max(0.0, spot[0] + found[0]), max(0.0, spot[1] + found[1])
    sizes = (left / WIDTH, top / HEIGHT, found[2] / WIDTH, found[3] / HEIGHT)
    return [round(100 * one, 1) for one in sizes]


# --- the files --------------------------------------------------------------------------------------------


def things_of_recipe(frames: list[dict[str, Any]]) -> list[str]:
    """What a recipe needs, in the order in which it comes."""
    found: dict[str, None] = {}
    for frame in frames:
        for predicate in read_predicates(frame["does"]["it"]):
            found |= dict.fromkeys(
                one for one in predicate.things() if one in CONTAINERS or one in INGREDIENTS
            )
    return [one for one in found if one != "cucchiaio"]


def drawn(recipe: dict[str, Any]) -> Iterator[tuple[dict[str, Any], str, dict[str, list[float]]]]:
    """Every frame with its picture and where things are in it."""
    known, world, slots = things_of_recipe(recipe["frames"]), World(), set[str]()
    states, commands = [deepcopy(world)], list[Predicate]()
    for frame in recipe["frames"]:
        commands += read_predicates(frame["does"]["it"])
        world.carry_out(commands[-1].action, commands[-1].things())
        states.append(deepcopy(world))
        slots |= set(_on_worktop(world, known))
    held = [one for one in known if one in slots]
    for at, (frame, command) in enumerate(zip(recipe["frames"], commands, strict=True)):
        yield frame, *picture(command, states[at], states[at + 1], known, held)


def files() -> dict[str, str]:
    """All files by name."""
    recipes = YAML(typ="safe", pure=True).load((HERE / "recipes.yaml").read_text("utf-8"))
    found, lines = {}, [HEAD.rstrip("\n")]
    for recipe in recipes:
        lines += [f"  - recipe: {recipe['recipe']}", f"    title: {_flow(recipe['title'])}", "    frames:"]
        for frame, svg, boxes in drawn(recipe):
            file = f"{recipe['recipe']}-{frame['id']}.svg"
            found[file] = svg
            lines += [f"      - id: {frame['id']}", f"        file: {file}"]
            lines += [f"        {key}: {_flow(frame[key])}" for key in ("does", "shows")]
            lines += ["        things:"]
            for name, at in boxes.items():
                lines.append(
                    f"          {name}: {_flow({'at': at, 'name': {'en': name, 'it': ITALIAN[name]}})}"
                )
            lines += [
                "        say:",
                *(f"          {key}: {_flow(said)}" for key, said in frame["say"].items()),
            ]
    return {**found, "stimuli.yaml": "\n".join(lines) + "\n"}


def _flow(value: Any) -> str:
    yaml, out = YAML(), StringIO()
    yaml.default_flow_style, yaml.width = True, 10_000
    yaml.dump(value, out)
    return out.getvalue().removesuffix("...\n").strip()


def main() -> None:
    for old in INTO.glob("*.svg"):
        old.unlink()
    for name, text in files().items():
        (INTO / name).write_text(text, encoding="utf-8")
    sys.stderr.write(f"{len(list(INTO.glob('*.svg')))} pictures\n")


if __name__ == "__main__":
    main()
