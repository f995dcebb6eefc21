"""What a clause commands, with what it leaves to be understood: what was handled last, the mix in a bowl."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from vivavoce_bots.chef.notation import Predicate
from vivavoce_bots.chef.reading import Clause
from vivavoce_bots.chef.session import INTO, Session
from vivavoce_bots.chef.words import CONTAINERS, INGREDIENTS, PLACES, QUANTITY
from vivavoce_bots.chef.world import VESSELS, WORKED, things_of

GROUPS: Final = (INGREDIENTS, CONTAINERS, PLACES)
_LOOSE: Final = ("acqua", "sale", "olio", "latte", "pepe", "zucchero", "burro", "cucchiaio", "coperchio")
"""What stays behind where something is served, and nobody mashes or drains."""
_SHELLED: Final = ("uovo", "uova")
_HOT: Final = ("fuoco", "forno")


def commanded(session: Session, clause: Clause) -> list[Predicate]:
    """The commands of a clause, in the order in which they have to be carried out."""
    action = _meant_action(session, clause)
    found = _PLANS.get(action, _worked)(session, clause, action)
    return [
        one._replace(arguments=(*clause.quantity, *one.arguments)) if one is found[0] else one
        for one in found
    ]


def named(session: Session, clause: Clause) -> list[Predicate]:
    """What things without a verb ask for: they complete what waits; one in or on another is put there."""
    waiting = session.waiting
    able = WORKED.get(waiting.action, ("", ()))[1] if waiting is not None else ()
    if able and not set(able) & {*clause.food, *clause.boxes}:
        waiting = session.waiting = None
    if waiting is not None and not clause.mix:
        return [_completed(session, waiting, clause)]
    unused = bool(session.food) and not any(map(session.world.where, session.food))
    if clause.boxes and not clause.food and unused and not clause.place:  # boil two potatoes: in the pot
        clause = clause._replace(boxes=(), target=clause.boxes[-1])
    if clause.target or clause.place or (clause.boxes and clause.food) or clause.mix:
        if clause.boxes == ("piatto",) or clause.target == "piatto":
            clause = clause._replace(boxes=(), target="piatto", it=clause.it or not clause.food)
        moved = bool(clause.food or clause.boxes or clause.mix) or bool(session.things)
        if clause.mix and not (clause.target or clause.place or clause.boxes):
            return []  # an omelette: a dish, and nothing is in a pan yet
        if moved:
            return commanded(session, clause._replace(action="mettere", it=not (clause.food or clause.mix)))
    held = session.world.inside.get(session.container or "", ())
    if clause.only and set(clause.food) <= set(held):
        return []
    if (
        clause.food
        and not clause.boxes
        and session.container is not None
        and _in_use(session, session.container)
    ):
        return [Predicate("aggiungere", (*clause.quantity, *clause.food, f"*{session.container}*"))]
    if clause.boxes == ("piatto",) and (session.food or _full(session, "piatto")):
        return commanded(session, clause._replace(action="mettere", boxes=(), target="piatto", it=True))
    return [Predicate("", (*clause.quantity, *clause.things))] if clause.things else []


def corrected(session: Session, clause: Clause, denied: Sequence[str]) -> list[Predicate]:
    """The last command with another thing of the same kind; where it says something else, that."""
    last = session.tried
    if last is None:
        return []
    if clause.action and not _alike(clause.action, last.action):
        return commanded(session, clause)
    arguments = [part for argument in last.arguments for part in _spread(argument)]
    new = [
        *clause.food,
        *clause.boxes,
        *([clause.target] if clause.target else []),
        *([clause.place] if clause.place else []),
    ]
    if clause.mix:
        target = next((argument for argument in reversed(arguments) if argument in CONTAINERS), None)
        arguments = [argument for argument in arguments if argument.strip("*") not in INGREDIENTS]
        mix = _mix(session, target)
        return [last._replace(arguments=(*mix, *arguments))] if mix else []
    fresh_food = bool(clause.food) and not any(_bare(argument) in INGREDIENTS for argument in arguments)
    if fresh_food and (clause.target or clause.boxes):  # the pot on the stove; no, water in the pot
        return commanded(session, clause._replace(action=clause.action or "mettere"))
    if clause.action and len({*new} & {*CONTAINERS, *PLACES}) and (clause.food or clause.it):
        if clause.it and not clause.food:
            session.things = (
                tuple(one for one in map(_bare, arguments) if one in INGREDIENTS) or session.things
            )
        return commanded(session, clause)
    for group in GROUPS:
        fresh = [one for one in new if one in group]
        old = [argument for argument in arguments if _bare(argument) in group]
        wrong = [one for one in old if _bare(one) in denied] or (
            old[-1:] if group is not INGREDIENTS else old
        )
        if fresh and wrong:
            at = arguments.index(wrong[0])
            arguments = [argument for argument in arguments if argument not in wrong]
            arguments[at:at] = fresh
        elif fresh:
            arguments += fresh
    if clause.quantity:
        arguments = [
            *clause.quantity,
            *(argument for argument in arguments if not QUANTITY.fullmatch(argument)),
        ]
    action = last.action
    if set(map(_bare, arguments)) & set(CONTAINERS) and set(map(_bare, arguments)) & set(PLACES):
        arguments = [argument for argument in arguments if _bare(argument) not in INGREDIENTS]
    return [Predicate(action, tuple(dict.fromkeys(arguments)))]


def more_of(session: Session, last: Predicate, clause: Clause) -> list[Predicate]:
    """Food without a verb behind a command: it goes where the other went, or the same is done to it."""
    boxes = [argument for argument in last.arguments if argument.strip("*") in CONTAINERS]
    if last.action in (*INTO, "aprire", "mescolare", "cuocere", "togliere") or not last.arguments:
        box = boxes[-1].strip("*") if boxes else session.container
        again = "aggiungere" if last.action in ("mescolare", "cuocere", "aprire", "togliere") else last.action
        return [Predicate(again, (*clause.quantity, *clause.food, *([f"*{box}*"] if box else [])))]
    return [Predicate(last.action, (*clause.quantity, *clause.food))]


def without(command: Predicate, denied: Sequence[str]) -> Predicate | None:
    """A command without things that were not meant; null where nothing would be left of it."""
    kept = tuple(argument for argument in command.arguments if _bare(argument) not in denied)
    food = [one for one in kept if _bare(one) in INGREDIENTS]
    had = [one for one in things_of(command) if one in INGREDIENTS]
    return command._replace(arguments=kept) if food and len(food) < len(had) else None


def _completed(session: Session, waiting: Predicate, clause: Clause) -> Predicate:
    things = [one for one in clause.things if one not in clause.denied]
    kept = [argument for argument in waiting.arguments if _bare(argument) not in clause.denied]
    whole = [*clause.quantity, *kept, *(one for one in things if one not in kept)]
    order = {name: at for at, group in enumerate(GROUPS) for name in group}
    if waiting.action in (*INTO, ""):
        whole.sort(key=lambda one: order.get(_bare(one), -1))
    placed = {*things} & {*CONTAINERS, *PLACES} and len(whole) > 1
    action = waiting.action or ("mettere" if placed else "")
    if action == "mettere" and {*things} & {*CONTAINERS} and {*kept} & {*PLACES}:
        whole = [one for one in whole if _bare(one) not in INGREDIENTS]
    return Predicate(action, tuple(whole))


# --- what is meant ---------------------------------------------------------------------------------------


def _meant_action(session: Session, clause: Clause) -> str:
    action = clause.action or ""
    goes = clause.place or clause.target
    held = [one for one in clause.food if session.world.where(one)]
    if action == "prendere":
        if clause.out and (held or (clause.it and any(map(session.world.where, session.things)))):
            return "togliere"
        if goes and (clause.boxes or clause.food) and not (clause.out or clause.source):
            return "mettere"
    unused = bool(clause.food) and not held and "coperchio" not in clause.food
    if action == "togliere" and unused and not clause.denied:
        return "prendere"  # take it out of the cupboard
    cooked = any(box == session.container for box, _ in session.world.cooked)
    if action == "girare" and not clause.things and not clause.it and not cooked:
        return "mescolare"
    if (
        action == "coprire"
        and {*clause.food, *clause.beside} - {"coperchio"}
        and (clause.beside or not clause.boxes)
    ):
        return "aggiungere"  # cover them with water
    return action


def pointed(session: Session, target: str | None, suits: Callable[[str], bool] = lambda _: True) -> list[str]:
    """The foods that a pronoun stands for where they come into a target: the whole mix where it was mixed."""
    food = [one for one in session.food if suits(one)]
    if not food or (target == "piatto" and all(map(session.world.where, food))):
        box = session.things[-1] if session.things and session.things[-1] in CONTAINERS else session.container
        if box == target or not session.world.inside.get(box or ""):
            box = _full(session, target)
        food = [one for one in session.world.inside.get(box or "", ()) if suits(one)]
        return _served(food, target)
    box = next((box for box, inside in session.world.inside.items() if set(food) <= set(inside)), None)
    if box is not None and box != target and (_is_mixed(session, box) or set(food) <= set(_LOOSE)):
        return _served([one for one in session.world.inside[box] if suits(one)], target)
    return food


def _served(food: Sequence[str], target: str | None) -> list[str]:
    """What is put on a plate: not the water, unless there is nothing else."""
    solid = [one for one in food if one not in _LOOSE]
    return solid if target == "piatto" and solid else list(food)


def _is_mixed(session: Session, box: str) -> bool:
    inside = session.world.inside.get(box, ())
    kneaded = any("impastato" in session.world.worked.get(one, ()) for one in inside)
    cooked = sum((box, one) in session.world.cooked for one in inside) > 1
    return len(inside) > 1 and (kneaded or cooked or box in session.world.stirred)


def _full(session: Session, target: str | None) -> str | None:
    """The container that was last spoken of, that something is in."""
    full = [box for box in reversed(session.boxes) if box != target and session.world.inside.get(box)]
    mixed = [one for one in full if len(session.world.inside[one]) > 1]
    return next(iter(mixed or full), None)


def _mix(session: Session, target: str | None, box: str | None = None) -> tuple[str, ...]:
    """What is in a container, as one thing."""
    box = box or _full(session, target)
    inside = session.world.inside.get(box or "", ())
    mashed = any("schiacciato" in session.world.worked.get(one, ()) for one in inside)
    return _as_one(_served([one for one in inside if one != "acqua" or not mashed], target))


def _as_one(food: Sequence[str]) -> tuple[str, ...]:
    return (f"[{', '.join(food)}]",) if len(food) > 1 else tuple(f"*{one}*" for one in food)


def _in_use(session: Session, box: str) -> bool:
    world = session.world
    return box in world.place or box in world.inside or box in world.taken or box in session.boxes


def box_of(session: Session, clause: Clause) -> str | None:
    """The container that a clause is about: named, or that in which it lies, or the last one."""
    if clause.boxes or clause.target:
        return clause.target or clause.boxes[-1]
    food = clause.food or (session.food if clause.it else ())
    lies = [box for box, inside in session.world.inside.items() if set(food) & set(inside)]
    if food:
        return max(lies, key=lambda box: len(set(food) & set(session.world.inside[box])), default=None)
    return session.container


# --- plans -----------------------------------------------------------------------------------------------


def _put(session: Session, clause: Clause, action: str) -> list[Predicate]:
    target, place, boxes = clause.target, clause.place, list(clause.boxes)
    food = tuple(clause.food)
    whole = clause.mix or (clause.every and not food)
    if "coperchio" in food and action == "mettere":
        box = target or (boxes or [session.container or ""])[-1]
        return [Predicate(action, ("coperchio", *([box] if box else [])))]
    if clause.back and food and not (target or place or boxes):
        boxes_before = [session.removed[one] for one in food if one in session.removed]
        target = boxes_before[-1] if boxes_before else None
    if clause.back and not food and not (target or place or boxes):
        back = [one for one in session.removed if session.world.where(one) is None]
        if back:
            return [Predicate(action, (*(f"*{one}*" for one in back), f"*{session.removed[back[-1]]}*"))]
    filled = food or whole or clause.beside
    if filled and boxes and not target and (action == "aggiungere" or not place):
        target = boxes.pop()  # fill the pot with water
    if (
        boxes and not (target or place or food) and session.world.inside.get(boxes[-1])
    ):  # pour some of the bowl in
        target = next((one for one in reversed(session.boxes) if one not in boxes), None)
    if target and boxes and not (food or whole):  # pour the bowl into the pan
        moved = _mix(session, target, boxes[-1])
        return [Predicate(action, (*moved, target))] if moved else [Predicate(action, (boxes[-1], target))]
    if place and not target:
        return _placed(session, clause, action, place, boxes, food)
    if clause.source in CONTAINERS and not food:
        moved = _mix(session, target, clause.source)
    elif clause.every and session.food and not any(map(session.world.where, session.food)):
        moved = tuple(f"*{one}*" for one in session.food)
    elif whole:
        moved = _mix(session, target, boxes[-1] if boxes else None)
    elif food:
        lies = {session.world.where(one) for one in food}
        box = next(iter(lies)) if len(lies) == 1 and target else None
        mixed = box in CONTAINERS and box != target and box in session.world.stirred
        moved = _mix(session, target, box) if mixed and not clause.part else food  # beaten eggs
    elif target and (clause.it or not session.waiting):
        inside = session.world.inside.get(target, ())
        found = pointed(session, target)
        moved = (
            _as_one(found)
            if len(found) > 1 and not set(found) <= set(session.food)
            else tuple(f"*{one}*" for one in found if one not in inside or set(found) <= set(inside))
        )
    elif not boxes and not food and _pours_on(session):  # pour: what was mixed, into what stands on the stove
        moved, target = _mix(session, session.container), session.container
    elif not boxes and (clause.it or not any(map(session.world.where, session.food))):
        moved = tuple(f"*{one}*" for one in session.food or pointed(session, None))
        if moved and session.container is None and session.removed:
            target = next((session.removed[one] for one in session.food if one in session.removed), None)
    else:
        moved = ()
    inside = session.world.inside.get(target or "", ())
    moved = (*moved, *(one for one in clause.beside if one not in inside and one not in moved))
    if target:
        first = [Predicate(action, (*moved, target))]
        return [*first, Predicate("mettere", (target, place))] if place else first
    if boxes:
        return [Predicate(action, (*boxes, *moved))]
    if clause.into_mix and moved:  # add it to the sauce
        lies = box_of(session, clause._replace(it=True))
        target = _full(session, lies)
        return [Predicate(action, (*moved, f"*{target or lies}*"))]
    held = session.world.inside.get(session.container or "", ())
    implicit = session.container if action == "mettere" or clause.there else None
    if implicit and {one.strip("*") for one in moved} <= {*held} and not (clause.there or clause.back):
        implicit = None  # it is there: where else?
    return [Predicate(action, (*moved, *([f"*{implicit}*"] if implicit and moved else [])))]


def _pours_on(session: Session) -> bool:
    """Whether something was mixed elsewhere, and what was spoken of last is in the pan that stands ready."""
    box, world = session.container or "", session.world
    other = _full(session, box)
    ready = world.place.get(box) in _HOT and set(session.food) <= set(world.inside.get(box, ()))
    return ready and other is not None and len(world.inside[other]) > 1


def _placed(
    session: Session, clause: Clause, action: str, place: str, boxes: list[str], food: tuple[str, ...]
) -> list[Predicate]:
    """Something to the stove, the oven, the fridge, the table: hot places take containers alone."""
    if boxes:
        filled = (*food, *clause.beside)
        first = [Predicate("mettere", (*filled, boxes[-1]))] if filled else []
        return [*first, *(Predicate("mettere", (one, place)) for one in boxes)]
    named = clause.food or (session.food if clause.it else ())
    box = box_of(session, clause)
    if box is None and not food and place in _HOT:
        box = session.container
    if food and box is None and place in _HOT and session.container and session.container != "piatto":
        used = session.container
        return [Predicate("mettere", (*food, f"*{used}*")), Predicate("mettere", (f"*{used}*", place))]
    if box is not None:
        unused = [f"*{one}*" for one in named if not session.world.where(one)] if not food else []
        unused += clause.beside
        first = [Predicate("mettere", (*unused, f"*{box}*"))] if unused else []
        return [*first, Predicate("mettere", (f"*{box}*", place))]
    return [Predicate(action, (*(food or (f"*{one}*" for one in named)), place))]


def _taken(session: Session, clause: Clause, action: str) -> list[Predicate]:
    things = (*clause.food, *clause.boxes, *([clause.target] if clause.target else []))
    if not things and clause.it:
        things = tuple(f"*{one}*" for one in session.things)
    return [Predicate(action, things)]


def _opened(session: Session, clause: Clause, action: str) -> list[Predicate]:
    held = session.world.inside.get(session.container or "", ())
    spoken = session.food or [one for one in held if one in _SHELLED]
    food = clause.food or tuple(f"*{one}*" for one in spoken)
    box = clause.target or (clause.boxes or (None,))[-1]
    implied = session.container if session.container and session.container != "piatto" else None
    into = [box] if box else [f"*{implied}*"] if implied else []
    return [Predicate(action, (*food, *into))]


def _removed(session: Session, clause: Clause, action: str) -> list[Predicate]:
    boxes = [one for one in (*clause.boxes, clause.target, clause.source) if one in CONTAINERS]
    place = clause.source if clause.source in PLACES else clause.place
    if "coperchio" in clause.food:
        return [Predicate(action, ("coperchio", *boxes[-1:]))]
    if place:
        box = (boxes or [box_of(session, clause) or session.container or ""])[-1]
        return [Predicate(action, (box if boxes else f"*{box}*", place))]
    food = clause.food
    if not food and clause.every:
        box = (boxes or [session.container or ""])[-1]
        return [Predicate(action, (*_as_one(session.world.inside.get(box, ())), box))]
    if food:
        return [Predicate(action, (*food, *boxes[-1:]))]
    if clause.it or not boxes:
        inside = session.world.inside.get(boxes[-1], ()) if boxes else None
        spoken = [one for one in session.food if inside is None or one in inside] or list(inside or ())
        held = tuple(f"*{one}*" for one in spoken if session.world.where(one))
        if held:
            return [Predicate(action, (*held, *boxes[-1:]))]
        boxes = boxes or ([session.container] if session.container else [])
    return [Predicate(action, tuple(boxes[-1:]))]


def _cooked(session: Session, clause: Clause, action: str) -> list[Predicate]:
    world, food = session.world, (*clause.food, *clause.beside)
    box = box_of(session, clause)
    before: list[Predicate] = []
    if clause.mix or clause.every or (not food and not clause.boxes and not clause.target):
        hot = [
            one for one in reversed(session.boxes) if world.place.get(one) in _HOT and world.inside.get(one)
        ]
        named = clause.boxes or clause.target
        held = clause.it and box in VESSELS and bool(session.food)
        pointed_at = held or (box is not None and world.place.get(box) in _HOT)
        if not named and hot and not pointed_at:
            box = hot[0]
        elif box is None:
            box = session.container
    if box is None and food:
        used = session.container
        if used and world.place.get(used) in _HOT:
            box = used
    place = clause.place
    unused = [one for one in session.food if not world.where(one)] if clause.it and not food else []
    food = (*food, *(f"*{one}*" for one in unused))
    lacks = [one for one in food if box and _bare(one) not in world.inside.get(box, ())]
    if lacks and box:
        before.append(Predicate("mettere", (*lacks, box if box in clause.things else f"*{box}*")))
    if box and place and world.place.get(box) != place:
        before.append(Predicate("mettere", (box if box in clause.things else f"*{box}*", place)))
    named_box = tuple(one for one in (*clause.boxes, clause.target) if one)
    if clause.food:
        return [*before, Predicate(action, (*clause.food, *named_box[-1:]))]
    if named_box:
        return [*before, Predicate(action, named_box[-1:])]
    if clause.it and session.food and box is None:
        return [Predicate(action, tuple(f"*{one}*" for one in session.food))]
    return [*before, Predicate(action, (f"*{box}*",) if box else ())]


def _stirred(session: Session, clause: Clause, action: str) -> list[Predicate]:
    food = [one for one in (*clause.food, *clause.beside) if one != "cucchiaio"]
    named_box = clause.target or (clause.boxes or (None,))[-1]
    box = named_box or (box_of(session, clause) if not food else None)
    if box is None and food:
        lies = box_of(session, clause._replace(food=tuple(food)))
        box = lies or session.container
    if named_box is None and not session.world.inside.get(box or "") and not food:
        if clause.it and session.food and box:
            food = list(session.food)
        box = box if food else _full(session, None) or box
    shown = [box if box == named_box else f"*{box}*"] if box else []
    lacks = [one for one in food if one not in session.world.inside.get(box or "", ())]
    if lacks and shown:
        return [Predicate("aggiungere", (*lacks, *shown)), Predicate(action, tuple(shown))]
    return [Predicate(action, (*food, *shown))]


def _worked(session: Session, clause: Clause, action: str) -> list[Predicate]:
    """Peel, mash, grate, strain, knead, flip, check: foods that were named, or those it can be done to."""
    able = WORKED.get(action, ("", ()))[1]
    named_box = clause.target or (clause.boxes or (None,))[-1]
    food = [*clause.food]
    if action in ("passare", "impastare", "girare") and not [one for one in food if one not in able or able]:
        food = []
    if food:
        rest = [one for one in (*food, *clause.beside) if able and one not in able]
        done = [one for one in food if not able or one in able]
        if able and rest and done and (named_box or session.container):
            box = named_box or f"*{session.container}*"
            return [Predicate(action, tuple(done)), Predicate("aggiungere", (*rest, box))]
        return [Predicate(action, (*food, *([named_box] if named_box and action == "grattare" else [])))]
    if named_box and not clause.it:
        return [Predicate(action, (named_box,))]
    wet = [box for box, inside in session.world.inside.items() if "acqua" in inside and len(inside) > 1]
    if action == "passare" and wet:
        return [Predicate(action, (f"*{wet[-1]}*",))]
    if action in ("impastare", "passare", "girare") or clause.mix or clause.every:
        box = box_of(session, clause)
        if action == "girare":
            hot = [one for one in reversed(session.boxes) if session.world.place.get(one) in _HOT]
            box = next((one for one in hot if session.world.inside.get(one)), box)
        if not session.world.inside.get(box or ""):
            box = _full(session, None) or box
        if box and session.world.inside.get(box):
            return [Predicate(action, (f"*{box}*",))]
    meant = [one for one in session.food if not able or one in able]
    held = session.world.inside.get(session.container or "", ())
    meant = meant or [one for one in held if one in able]
    meant = meant or [one for one in session.recent if one in able][:1] or list(session.food)
    if meant:
        rest = [one for one in clause.beside if able and one not in able]
        more = (
            [Predicate("aggiungere", (*rest, f"*{session.container}*"))] if rest and session.container else []
        )
        return [Predicate(action, tuple(f"*{one}*" for one in meant)), *more]
    return [Predicate(action, (f"*{session.container}*",) if session.container and not able else ())]


def _covered(session: Session, clause: Clause, action: str) -> list[Predicate]:
    box = box_of(session, clause._replace(food=tuple(one for one in clause.food if one != "coperchio")))
    box = box or session.container
    named_box = box in (*clause.boxes, clause.target)
    return [Predicate(action, (box if named_box else f"*{box}*",) if box else ())]


_PLANS: Final[Mapping[str, Callable[[Session, Clause, str], list[Predicate]]]] = {
    "mettere": _put,
    "aggiungere": _put,
    "prendere": _taken,
    "aprire": _opened,
    "togliere": _removed,
    "cuocere": _cooked,
    "mescolare": _stirred,
    "coprire": _covered,
    "scoprire": _covered,
}


def _alike(action: str, other: str) -> bool:
    return action == other or {action, other} <= {"mettere", "aggiungere", "aprire"}


def _spread(argument: str) -> list[str]:
    inner = argument.strip("[]").split(",") if argument.startswith("[") else [argument]
    return [one.strip() for one in inner]


def _bare(argument: str) -> str:
    return argument.strip("*")
