"""What a part of an utterance commands, with what it leaves to be understood."""

from collections.abc import Collection, Sequence
from typing import Final

from vivavoce_bots.acts import Act
from vivavoce_bots.chef.carrying import Session
from vivavoce_bots.chef.notation import Predicate
from vivavoce_bots.chef.reading import Part
from vivavoce_bots.chef.words import ACTIONS, CONTAINERS, INGREDIENTS, PLACES, QUANTITY
from vivavoce_bots.chef.world import WORKED, things_of

GROUPS: Final = (INGREDIENTS, CONTAINERS, PLACES)
_INTO: Final = ("mettere", "aggiungere")
_ALONE: Final = ("cuocere", "passare", "mescolare")  # what stands ready is meant: boil, drain
_OF_FOOD: Final = ("grattare", "sbucciare", "schiacciare", "separare", "impastare")
LOOSE: Final = (
    "acqua",
    "sale",
    "olio",
    "latte",
    "pepe",
    "zucchero",
    "burro",
)  # nobody mashes or drains these


class Commands:
    """Commands of one conversation, from the parts of its turns."""

    def _with_more(self, last: Predicate, part: Part) -> list[Predicate]:
        """More things of a command; food behind a pan that is put somewhere goes into the pan."""
        boxes = [one for one in last.arguments if one.strip("*") in CONTAINERS]
        placed = last.action == "mettere" and boxes and set(last.arguments) & set(PLACES)
        if placed and set(part.things) <= set(INGREDIENTS):
            return [last, Predicate("mettere", (*part.quantity, *part.things, boxes[-1]))]
        return [with_things(last, part.things)]

    def _placed(self, last: Predicate, part: Part) -> Predicate | None:
        """Where the container of the last command comes: in the pan, and the pan in the oven."""
        boxes = [one.strip("*") for one in last.arguments if one.strip("*") in CONTAINERS]
        food = [one for one in last.arguments if one.strip("*") in INGREDIENTS]
        if part.things[-1] not in PLACES or not boxes or not food or set(part.things) & set(INGREDIENTS):
            return None
        return Predicate("mettere", (boxes[-1], part.things[-1]))

    def _put_there(self, session: Session, part: Part) -> Predicate | None:
        """A place or container alone is where what was spoken of last comes: `in the bowl, then`."""
        places = set(part.things) <= {*PLACES, *CONTAINERS}
        food = tuple(one for one in session.things if one in INGREDIENTS)
        if (
            session.waiting is not None
            or (session.done is None and not food)
            or not (places and (part.into or part.things[-1] in (*PLACES, "piatto")))
        ):
            return None
        held = session.world.inside.get(session.container or "", ())
        if part.things == ("piatto",) and held and session.container != "piatto":  # on a plate
            return Predicate("mettere", (*(one for one in held if one not in LOOSE), "piatto"))
        to_container = len(part.things) == 1 and part.things[0] in CONTAINERS
        if to_container and food:
            return Predicate("mettere", (*food, *part.things))
        to_place = len(part.things) == 1 and part.things[0] in PLACES
        return Predicate("mettere", part.things) if to_place and session.container else None

    def _named(self, session: Session, part: Part) -> Predicate:
        """Things without a verb: they complete the command that waits; one in or on another is put there."""
        if (
            session.waiting is None
            and not told_off(session)
            and session.container in {**session.world.place, **session.world.inside}
        ):
            food = tuple(one for one in part.things if one in INGREDIENTS)
            if food and set(part.things) == set(food):  # water, salt: into the pot that stands ready
                return Predicate("aggiungere", (*part.quantity, *food, f"*{session.container}*"))
        waiting = session.waiting or Predicate("", ())
        told = with_things(waiting, (*part.quantity, *part.things))
        things = things_of(told)
        placed = len(things) > 1 and (things[-1] in PLACES or bool(set(things) & set(CONTAINERS)))
        if placed and things[-1] not in PLACES and not told.action:
            last = [one for one in told.arguments if one in CONTAINERS]  # meat in the pan with oil
            told = told._replace(arguments=(*(one for one in told.arguments if one not in last), *last))
        return told._replace(action=told.action or ("mettere" if placed else ""))

    def _replaces(self, session: Session, part: Part) -> bool:
        return session.done is not None and part.action == session.done.action

    def _command(self, session: Session, part: Part, before: Sequence[Predicate] = ()) -> Predicate:
        """A part as a command; a pronoun is what was spoken of last, be it earlier in the turn."""
        action, things = part.action or "", part.things
        if action == "prendere" and set(things) & set(PLACES) and set(things) & set(CONTAINERS):
            action = "mettere"  # get a pan on the stove
        unused = bool(things) and all(one in INGREDIENTS and not session.world.where(one) for one in things)
        if (
            action == "togliere"
            and "coperchio" not in things
            and (unused or (part.it and not things and _unused(session)))
        ):
            action = "prendere"  # take it out of the cupboard
        if action == "girare" and not (things or part.it):
            action = "mescolare"
        over = [session.world.where(one) for one in things if one in INGREDIENTS]
        spoken_of = tuple(one for one in session.things if one in INGREDIENTS and one not in things)
        if (
            action in _INTO
            and part.it
            and part.into
            and spoken_of
            and over
            and len(things) == len(over)
            and all(over)
        ):
            things = (*spoken_of, over[-1] or "")  # put it into the eggs
        waiting = session.waiting
        if waiting is not None and not waiting.action and not part.it and set(things) <= set(PLACES):
            things = (*(one for one in things_of(waiting) if one not in things), *things)
        spoken = tuple(one for command in before for one in things_of(command) if one in INGREDIENTS)
        boxes = [
            one.strip("*") for command in before for one in things_of(command) if one.strip("*") in CONTAINERS
        ]
        box = boxes[-1] if boxes else session.container
        gathered, gathered_in = spoken, boxes[-1] if boxes else ""
        spoken_food = spoken or any(one in INGREDIENTS for one in session.things)
        if not things and action in _ALONE and box and not (part.it and spoken_food):
            things = (f"*{box}*",)
        if action == "mescolare" and things and boxes and not set(things) & set(CONTAINERS):
            things = (*things, f"*{boxes[-1]}*")  # crack them into the bowl, stir them with milk
        if part.there and action == "mettere" and session.place and not set(things) & {*PLACES, *CONTAINERS}:
            things = (*things, *([f"*{session.container}*"] if session.container else []), session.place)
        if action == "aprire" and part.into and box and not set(things) & set(CONTAINERS):
            things = (*things, f"*{box}*")
        food = tuple(one for one in session.things if one in INGREDIENTS)
        held = session.world.inside.get(session.container or "", ())
        if not things and part.every and len(held) > 1 and action in (*_OF_FOOD, *_ALONE, "girare"):
            things = (f"*{session.container}*",)
        if not things and action in _OF_FOOD and (spoken or food) and not part.strange:
            things = tuple(f"*{one}*" for one in spoken or food)
        mixes = any(one in CONTAINERS for one in things) and any(one in INGREDIENTS for one in things)
        if part.it and part.into and mixes:  # put them in the pot with the water
            things = (*(f"*{one}*" for one in spoken or food if one not in things), *things)
        takes_food = any(need.startswith("thing") for need in ACTIONS[action])
        if part.it and takes_food and not any(one in INGREDIENTS for one in things):
            into = part.into or any(need.startswith(("container", "place")) for need in ACTIONS[action])
            loose = LOOSE if action in (*_OF_FOOD, "passare") else ()
            if action in WORKED:  # drain it: not the cheese
                loose = tuple(one for one in INGREDIENTS if one not in WORKED[action][1])
            cooked = tuple(
                one for one in session.world.inside.get(session.container or "", ()) if one not in LOOSE
            )
            if action == "mettere" and cooked and not spoken and set(session.things) <= {*LOOSE, *CONTAINERS}:
                spoken = cooked  # put it on a plate: the pasta, not the salt
            spoken = tuple(one for one in spoken if one not in loose)
            meant = (
                (spoken or tuple(one for one in session.things if one not in loose))
                if not things or (into and things[-1] in CONTAINERS)
                else ()
            )
            meant = meant or (cooked if loose and not things else ())  # drain them: not the water
            target = things[-1].strip("*") if things else ""
            inside = session.world.inside
            if meant and target in inside and set(meant) <= set(inside[target]) and not spoken:
                full = [one for box, one in inside.items() if box != target and one]
                meant = tuple(full[-1]) if full else meant  # pour it in: what is in the bowl
            source = [box for box, one in inside.items() if set(meant) <= set(one) and box != target]
            if meant and not spoken and source and len(inside[source[-1]]) > 1:
                if target == "piatto":  # the omelette, not the cheese alone
                    meant = tuple(one for one in inside[source[-1]] if one not in LOOSE)
                elif action == "cuocere" and not things:
                    meant = (source[-1],)
            things = (*(f"*{one}*" for one in meant if one not in things), *things)
        held = session.world.inside.get(session.container or "", ())
        able = WORKED.get(action, ("", ()))[1]
        if able and part.it and things and not set(things) & set(able):  # mash them with the butter
            things = (*(one for one in (*held, *session.things) if one in able), *things)
        boxes = [one for one in things if one in CONTAINERS]
        if part.every and action in _INTO and boxes and gathered_in and gathered_in != boxes[-1].strip("*"):
            things = (*(f"*{one}*" for one in gathered if one not in things), *things)
        elif part.every and action in _INTO and boxes and boxes[-1] != session.container and held:
            things = (*(f"*{one}*" for one in held if one not in LOOSE), *things)  # all of it onto a plate
        order = {name: at for at, group in enumerate(GROUPS) for name in group}
        if action in _INTO:
            things = tuple(sorted(things, key=lambda one: order[one.strip("*")]))
        return Predicate(action, (*part.quantity, *_once(things)))

    def _corrected(self, session: Session, part: Part, denied: Collection[str] = ()) -> Predicate:
        """The last command with another thing of the same kind; it is taken back first."""
        last = session.done
        if last is None or session.undone is None:
            return self._command(session, part)
        arguments = list(last.arguments)
        for group in GROUPS:
            new = [one for one in part.things if one in group]
            old = [at for at, one in enumerate(arguments) if one.strip("*") in group]
            wrong = [at for at in old if arguments[at].strip("*") in denied] or old[-1:]
            if new and wrong:
                arguments[wrong[-1]] = new[0]
        if arguments == list(last.arguments) and not part.quantity:
            return self._put_there(session, part) or self._named(session, part)
        if part.quantity:
            arguments = [*part.quantity, *(one for one in arguments if not QUANTITY.fullmatch(one))]
        session.world = session.undone
        return Predicate(last.action, tuple(arguments))


def _unused(session: Session) -> bool:
    """Whether what was spoken of has not been used yet."""
    return bool(session.things) and not any(map(session.world.where, session.things))


def told_off(session: Session) -> bool:
    """Whether the last turn said that something is beyond the robot: what follows corrects nothing done."""
    acts = session.last.acts if session.last is not None else ()
    return acts[:1] == (Act("canthelp"),) and not any(one.slot == "done" for one in acts)


def with_things(command: Predicate, things: Sequence[str]) -> Predicate:
    """A command with more things, none twice."""
    return command._replace(arguments=_once((*command.arguments, *things)))


def _once(things: Sequence[str]) -> tuple[str, ...]:
    """The things, the last of those that are named twice; a box stands last."""
    last = {one.strip("*"): at for at, one in enumerate(things)}
    return tuple(one for at, one in enumerate(things) if last[one.strip("*")] == at)


def in_order(command: Predicate, session: Session) -> list[Predicate]:
    """A command with what has to come before it: what is cooked in a pot is put into it."""
    things = things_of(command)
    boxes = [one for one in things if one in CONTAINERS]
    food = [one for one in things if one in INGREDIENTS]
    places = [one for one in things if one in PLACES]
    if command.action == "mescolare" and food and (boxes or session.container):
        box = boxes[-1] if boxes else session.container or ""
        lacks = [one for one in food if one not in session.world.inside.get(box, ())]
        if lacks:  # stir it with salt
            sizes = [one for one in command.arguments if QUANTITY.fullmatch(one)]
            mixed = command._replace(arguments=(box,))
            return [Predicate("aggiungere", (*sizes, *lacks, box)), mixed]
    able = [one for one in food if one in WORKED.get(command.action, ("", ()))[1]]
    box = boxes[-1] if boxes else session.container
    if command.action in WORKED and able and len(able) < len(food) and box:  # mash them with butter
        rest = tuple(one for one in food if one not in able)
        return [command._replace(arguments=tuple(able)), Predicate("aggiungere", (*rest, box))]
    if command.action in _INTO and food and boxes and places:  # in the pot, and that on the stove
        return [command._replace(arguments=(*food, boxes[-1])), Predicate("mettere", (boxes[-1], places[-1]))]
    if command.action != "cuocere" or not boxes:
        return [command]
    lacks = [one for one in food if one not in session.world.inside.get(boxes[-1], ())]
    first = [Predicate("mettere", (*lacks, boxes[-1]))] if lacks else []
    if places and session.world.place.get(boxes[-1]) != places[-1]:
        first.append(Predicate("mettere", (boxes[-1], places[-1])))
    kept = tuple(one for one in command.arguments if one not in places)
    return [*first, command._replace(arguments=kept)]
