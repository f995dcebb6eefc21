// One key a label: keys press the page's own buttons, and the next place comes without a new page.
// Without this script every button works by itself.

import { postForm } from "./post.js";
import { beginAll, playTurn } from "./waveform.js";

let busy = false;
let waiting = []; // keys that were pressed while the page was saving
let stopAt = null;

const main = () => document.getElementById("main");
const audio = () => document.querySelector(".recording audio");

function arrive({ first = false } = {}) {
  document.querySelector(".turn.here")?.scrollIntoView({ block: "nearest" });
  if (document.querySelector("[role=alert]")) document.getElementById("value")?.focus();
  else if (!first || !location.hash) document.getElementById("asked")?.focus({ preventScroll: true });
}

function swap(html, url) {
  const fresh = new DOMParser().parseFromString(html, "text/html");
  const next = fresh.getElementById("main");
  if (fresh.body.dataset.page !== "annotate" || !next) {
    location.assign(url);
    return;
  }
  for (const figure of next.querySelectorAll("[data-track]")) { // what is playing goes on
    const drawn = document.querySelector(`[data-track="${CSS.escape(figure.dataset.track)}"]`);
    if (drawn) figure.replaceWith(drawn);
  }
  main().replaceChildren(...next.childNodes);
  beginAll();
  document.title = fresh.title;
  history.replaceState(null, "", url);
  arrive();
}

async function send(form, button) {
  if (busy) return;
  busy = true;
  try {
    const answer = await postForm(form, { submitter: button });
    if (!answer.ok) throw new Error(String(answer.status));
    swap(await answer.text(), answer.url);
  } catch {
    waiting = [];
    document.getElementById("unsaved").hidden = false;
  } finally {
    busy = false;
  }
  while (waiting.length && !busy) press(waiting.shift());
}

function play() {
  const turn = document.querySelector(".quoted");
  if (turn && playTurn(Number(turn.dataset.turn))) return;
  const alone = turn && document.querySelector(`li[data-turn="${turn.dataset.turn}"] audio`);
  if (alone) {
    alone.currentTime = 0;
    alone.play().catch(() => {});
    return;
  }
  const heard = audio();
  if (!heard || !turn?.dataset.from) return;
  heard.currentTime = Number(turn.dataset.from);
  stopAt = turn.dataset.to ? Number(turn.dataset.to) : null;
  heard.ontimeupdate = () => {
    if (stopAt !== null && heard.currentTime >= stopAt) {
      heard.pause();
      heard.currentTime = stopAt; // a busy page is told late
      stopAt = null;
    }
  };
  heard.play().catch(() => {});
}

function press(key) {
  if (key === ".") return play();
  if (key === "ArrowLeft") return document.getElementById("back")?.click();
  if (key === "Enter") return document.getElementById("go")?.click();
  const button = [...document.querySelectorAll("[data-key]")].find((one) => one.dataset.key === key);
  if (!button) return;
  const value = document.getElementById("value");
  if (button.dataset.needs && value && !value.value.trim()) {
    value.dataset.label = key;
    for (const one of document.querySelectorAll("[data-key]")) one.classList.toggle("chosen", one === button);
    value.focus();
    return;
  }
  button.click();
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  const where = document.activeElement;
  if (where?.id === "value") {
    if (event.key === "Escape") document.getElementById("asked")?.focus();
    if (event.key === "Enter") {
      event.preventDefault();
      const label = where.dataset.label;
      if (label && where.value.trim()) press(label);
      else document.getElementById("asked")?.focus();
    }
    return;
  }
  if (where?.matches("input, textarea, select, audio")) return;
  if (event.key === "Enter" && where?.matches("button, a, summary")) return;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const known = [".", "ArrowLeft", "Enter"].includes(key) || document.querySelector(`[data-key="${CSS.escape(key)}"]`);
  if (!known && !busy) return;
  if (!known && !/^[a-z0-9]$/.test(key)) return;
  event.preventDefault();
  if (busy) waiting.push(key);
  else press(key);
});

document.addEventListener("submit", (event) => {
  const form = /** @type {HTMLFormElement} */ (event.target);
  if (!form.closest("#main")) return;
  event.preventDefault();
  send(form, event.submitter);
});

arrive({ first: true });
