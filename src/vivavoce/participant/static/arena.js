// Waits for both answers and shows them together; where they are streamed, what has come of them meanwhile.

import { marked } from "./transcript.js";

const waiting = document.getElementById("waiting");
const base = waiting.dataset.base;
let seq = Number(waiting.dataset.seq);
const sides = document.querySelectorAll(".growing");
let pause = 500;

// A reader stays where they are: nothing is scrolled along.
function grow(shown) {
  for (const [number, side] of sides.entries()) {
    if (!shown[number]) continue;
    side.replaceChildren(...marked(shown[number]));
    side.hidden = false;
    const awaited = /** @type {HTMLElement} */ (side.nextElementSibling);
    awaited.hidden = true; // that it is answering is said below
  }
}

async function look() {
  try {
    const answer = await fetch(`${base}/arena/state?after=${seq}&wait=20`, { cache: "no-store" });
    if (!answer.ok) throw new Error(String(answer.status));
    const news = await answer.json();
    pause = sides.length > 0 ? 0 : 500;
    seq = news.seq;
    if (!news.waiting) {
      if (sides.length === 0) location.replace(`${base}/visit#latest`);
      location.reload();
      return;
    }
    grow(news.growing);
  } catch {
    pause = Math.min(2 * pause + 500, 8000); // no connection: keep trying
  }
  setTimeout(look, pause);
}

look();
