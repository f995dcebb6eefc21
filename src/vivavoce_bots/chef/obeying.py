"""Clauses are obeyed: what each commands, what it corrects of the last command, what was not meant.

What is corrected is taken back before it is done otherwise.
"""

import copy
from collections.abc import Sequence
from typing import Final

from vivavoce_bots.acts import Act
from vivavoce_bots.chef.carrying import Carrying, Lacking, Turn
from vivavoce_bots.chef.commands import commanded, corrected, more_of, named, pointed, without
from vivavoce_bots.chef.notation import Predicate
from vivavoce_bots.chef.reading import Clause
from vivavoce_bots.chef.session import INTO, Session, as_it_is
from vivavoce_bots.chef.telling import Telling
from vivavoce_bots.chef.words import INGREDIENTS, NEAR, SAID
from vivavoce_bots.chef.world import WORKED, things_of

_CHANGES: Final = 2  # how strongly a clause has to say no to what a turn before said


class Obeying:
    """Obeys clauses in one language."""

    def __init__(self, language: str, telling: Telling) -> None:
        self._telling, self._said = telling, SAID[language]
        self._carrying = Carrying(language, telling)

    def take_in(self, session: Session, done: Turn, clause: Clause, *, more: bool) -> None:
        words = self._said
        if clause.stopped:
            if clause.action and done.done and done.done[-1][0].action == clause.action and clause.retracts:
                self._take_back(session, done)
            elif not done.done:
                done.said.append(words["kept"])
            session.let_go()
            return
        here = bool(done.done) or done.problem is not None
        changes = clause.retracts >= (1 if here else _CHANGES) and session.tried is not None
        if clause.amounts == (("", clause.text),):
            food = [one for one in things_of(session.tried or Predicate("", ())) if one in INGREDIENTS]
            session.amounts |= dict.fromkeys(food[-1:], clause.text) if changes or not clause.retracts else {}
            return
        if (
            clause.denied
            and not clause.action
            and not (clause.food or clause.boxes or clause.target or clause.mix)
        ):
            self._deny(session, done, clause)
            return
        if clause.strange:
            done.said.append(self._telling.missing(clause.strange))
            done.acts.append(Act("canthelp"))
            vessel = any(NEAR.get(one) in ("ciotola", "tegame") for one in clause.strange)
            if vessel or not (clause.food or clause.boxes):
                session.speak_of(clause.food)
                food = clause.food or (pointed(session, None) if clause.it else ())
                if vessel and clause.action in INTO and food:  # into a cup; a bowl, then
                    done.problem = Lacking("place", "", Predicate("mettere", tuple(food)))
                return
        clause = as_it_is(session, clause)
        denied = [*clause.denied, *session.denied]
        session.denied = ()
        commands = self._meant(session, done, clause, denied, changes=changes, more=more)
        if commands and commands[0].action in INTO:
            fresh = {one: WORKED[one] for one in clause.worked}
            todo = {
                action: [one for one in clause.food if one in able and not session.world.holds(state, one)]
                for action, (state, able) in fresh.items()
            }
            commands = [*(Predicate(one, tuple(food)) for one, food in todo.items() if food), *commands]
        held = {box: list(inside) for box, inside in session.world.inside.items()}
        session.amounts |= dict(clause.amounts)
        for command in commands:
            if not self.do(session, done, command, last=command is commands[-1]):
                break
            if clause.part:  # half of it: the rest stays where it is
                session.world.inside |= {box: one for box, one in held.items() if box != session.container}

    def _meant(
        self,
        session: Session,
        done: Turn,
        clause: Clause,
        denied: Sequence[str],
        *,
        changes: bool,
        more: bool,
    ) -> list[Predicate]:
        """The commands of a clause; where it corrects one before, that one is taken back first."""
        last = session.tried
        if last is not None and (changes or (denied and set(denied) & set(things_of(last)))):
            shares = (
                not clause.action
                or bool(set(clause.things) & set(things_of(last)))
                or clause.it
                or clause.mix
            )
            alike = (
                not clause.action or clause.action == last.action or {clause.action, last.action} <= {*INTO}
            )
            here = done.problem is not None
            told_off = done.problem is None and not done.done and self._told_off(session)
            if shares and alike and not clause.also and not told_off and (here or session.waiting is None):
                bare = set(things_of(last))
                so = self._said["so"].format(predicate=self._telling.shown(last))
                if (
                    not clause.action
                    and not clause.mix
                    and set(clause.things) <= bare
                    and session.done == last
                ):
                    done.said.append(so)
                    return []
                as_it_was, said, before = session.world, list(done.said), list(done.done)
                self._take_back(session, done)
                commands = corrected(session, clause, denied)
                so_already = bool(before) and all(map(session.has_done, commands))
                if commands and so_already and not clause.retracts:  # the rice I mean, not the pot
                    session.world, done.said, done.done = as_it_was, said, before
                    return []
                if session.done == last and [str(command).replace("*", "") for command in commands] == [
                    str(last).replace("*", "")
                ]:
                    session.world, done.said = as_it_was, [*said, so]
                    return []
                return commands
        if not clause.action and not clause.food and (clause.mix or clause.it) and more:
            held = session.world.inside.get(clause.target or (clause.boxes or ("",))[-1], ())
            session.things = tuple(held) or session.things  # the batter, the stuff in the bowl: pour it
            return []
        if (
            not clause.action
            and clause.boxes
            and set(clause.things) <= set(things_of(last or Predicate("", ())))
        ):
            session.speak_of(clause.boxes)
            return []
        before = done.done[-1][0] if done.done else Predicate("", ())
        to = clause.target if not (clause.action or clause.food) and clause.target != "piatto" else None
        if to and before.action == "aggiungere" and before.arguments[-1].startswith("*"):
            self._take_back(session, done)  # now the chicken. In the pan
            return [before._replace(arguments=(*before.arguments[:-1], to))]
        if clause.action:
            waits = session.waiting
            if waits is not None and not waits.action and not clause.food and not clause.boxes:
                session.speak_of(things_of(waits))
            elif waits is not None and waits.action == clause.action and not clause.things:
                return [waits]
            return commanded(session, clause)
        if done.done and clause.food and not (clause.boxes or clause.target or clause.place):
            return more_of(session, done.done[-1][0], clause)
        return named(session, clause)

    def _told_off(self, session: Session) -> bool:
        """Whether the last turn did nothing but say that something is not here or beyond the robot."""
        acts = session.last.acts if session.last is not None else ()
        return any(act.act == "canthelp" for act in acts) and not any(act.slot == "done" for act in acts)

    def _deny(self, session: Session, done: Turn, clause: Clause) -> None:
        """What was not meant: it is taken back, and what else was said of it done again."""
        last, denied = session.tried, set(clause.denied)
        waiting = session.waiting
        session.things = tuple(one for one in session.things if one not in denied)
        if waiting is not None and denied & set(things_of(waiting)):
            kept = tuple(argument for argument in waiting.arguments if argument.strip("*") not in denied)
            session.waiting = waiting._replace(arguments=kept)
            session.denied = clause.denied
        elif last is not None and denied & set(things_of(last)):
            session.denied = clause.denied
            if denied & set(INGREDIENTS) and session.done == last:
                self._take_back(session, done)
                rest = without(last, clause.denied)
                if rest is not None:
                    self.do(session, done, rest, last=True)
                session.tried = last

    def _take_back(self, session: Session, done: Turn) -> None:
        """Restore the kitchen before the last command; it was not meant."""
        if done.done and done.done[-1][0] == session.tried:
            _, session.world, told = done.done.pop()
            done.said = [one for one in done.said if one != told]
        elif session.done == session.tried and session.undone is not None and not done.done:
            session.world = session.undone
            done.said.append(self._said["instead"])
        if done.problem is not None:
            done.said = [one for one in done.said if one != done.problem.said]
            done.problem = None

    def do(self, session: Session, done: Turn, command: Predicate, *, last: bool) -> bool:
        """Carry a command out, and say so; whether what comes behind it makes sense."""
        before = copy.deepcopy(session.world)
        done.understood.append(command)
        fresh = done.once(command)
        if fresh is None:
            return True
        command = fresh
        if session.has_done(command):
            session.speak_of(things_of(command))
            food = [one for one in things_of(command) if one in INGREDIENTS]
            where = self._telling.places(food, session.world)
            done.said.append(self._said["there_already"].format(where=where))
            done.stopped = False
            return True
        try:
            carried = self._carrying.carry_out(session, command)
        except Lacking as lacking:
            if lacking.idle and not last:
                return True  # the pot is on the stove; cook the potatoes
            if lacking.idle and done.problem is not None and done.problem.idle:
                return False
            done.problem = lacking
            if lacking.slot is None:
                done.said.append(lacking.said)
                done.acts.append(Act("canthelp"))
                done.stopped = not lacking.idle
                done.refused = command if command.action == "cuocere" and done.stopped else None
            else:
                session.waiting, session.lacking = lacking.predicate, lacking.slot
            return False
        session.let_go()
        problem, done.problem, done.stopped = done.problem, None, False
        if problem is not None and problem.idle:  # it stands there: cook it
            done.said = [one for one in done.said if one != problem.said]
        told = self._said["done"].format(predicate=self._telling.shown(carried))
        done.done.append((carried, before, told))
        done.said.append(told)
        again, done.refused = done.refused, None
        if again is not None and problem is not None and carried.action == "mettere" and last:
            done.said = [one for one in done.said if one != problem.said]  # heat it: put it on the stove
            return self.do(session, done, again, last=True)
        return True
