// A spoken turn that the service has not taken yet, kept in the browser, so that a reload costs no word of it.

import { done, store } from "./takes.js";

const turns = (mode) => store(mode, "vivavoce-turns", "turns", {});

// A turn is {place, sound}; a dialogue has one at most.
export async function keepTurn(dialogue, turn) {
  return done((await turns("readwrite")).put(turn, dialogue));
}

export async function forgetTurns() {
  return done((await turns("readwrite")).clear());
}

// The turn of this dialogue, or undefined; that of another one can be taken no more, and is dropped.
export async function unsentTurn(dialogue) {
  const turn = await done((await turns("readonly")).get(dialogue));
  if (turn === undefined) await forgetTurns();
  return turn;
}
