// The conversation: what is typed goes through the outbox, what happened comes by long poll, the server's
// order counts. The page as loaded is already complete; this only carries it on.

import "./storage.js";
import { Outbox } from "./outbox.js";
import { postUntilTaken, wait } from "./post.js";
import { Transcript } from "./transcript.js";

const data = JSON.parse(document.getElementById("chat-data").textContent);
const { base, words, tab } = data;
const here = (id) => document.getElementById(id);
const text = here("text");
const transcript = new Transcript(here("transcript"), words, here("growing"));
const names = { draft: `vivavoce-text:${data.dialogue}`, shown: `vivavoce-shown:${data.dialogue}` };

const LAST_WORDS_S = 60;

let seq = data.seq;
let waiting = data.waiting;
let tooShort = data.tooShort;
let active = true;
let ending = false;
let shownAt = null; // when the last system turn appeared, on the monotonic clock
let firstKeyAt = null;

const outbox = new Outbox(`${base}/turns`, `vivavoce-turns:${data.dialogue}`, tab, {
  acknowledged(turn, ack) {
    transcript.acknowledge(turn.key, ack.seq);
    waiting = true;
    refresh();
  },
  refused(turn, reason) {
    if (reason === "superseded") return stepAside();
    transcript.remove(turn.key);
    if (!text.value) text.value = turn.text;
    say(words[reason] ?? words.bad_request);
    refresh();
  },
  trouble(reason) {
    say(reason === null ? "" : reason === "busy" || reason === "stale" ? words.busy : words.offline);
    refresh();
  },
});

function say(message) {
  here("saving").textContent = message;
}

function refresh() {
  const blocked = !active || waiting || ending || !outbox.empty;
  here("send").disabled = blocked;
  here("end-button").disabled = !active || ending || !outbox.empty;
  for (const button of here("choices").querySelectorAll("button")) button.disabled = blocked;
  here("typing-words").textContent = transcript.list.children.length > 0 ? words.answering : words.preparing;
  here("typing").hidden = !active || !waiting || !outbox.empty;
  here("begin").hidden = !active || waiting || transcript.list.children.length > 0;
  here("composer").hidden = !active;
  here("choices").hidden = !active;
}

function systemShown(newest) {
  shownAt = performance.now();
  firstKeyAt = null;
  sessionStorage.setItem(names.shown, newest);
}

function seconds(from, to) {
  return from === null || to === null ? null : (to - from) / 1000;
}

// On a small screen the task becomes a line that stays in sight, once it was read.
function foldTask() {
  const task = /** @type {HTMLDetailsElement | null} */ (document.querySelector("details.task"));
  if (!task || "folds" in task.dataset || !matchMedia("(max-width: 52rem)").matches) return;
  task.dataset.folds = "";
  task.open = false;
}

function send(words_, payload = null) {
  const content = words_.trim();
  if (!content || !active || waiting || ending || !outbox.empty) return;
  const now = performance.now();
  const turn = {
    key: crypto.randomUUID ? crypto.randomUUID() : fallbackKey(),
    dialogue_id: data.dialogue,
    text: content,
    payload,
    response_delay_s: seconds(shownAt, now),
    first_key_delay_s: payload === null ? seconds(shownAt, firstKeyAt) : null,
  };
  here("choices").replaceChildren();
  foldTask();
  transcript.user(turn, true);
  text.value = "";
  sessionStorage.removeItem(names.draft);
  shownAt = firstKeyAt = null;
  say("");
  outbox.add(turn);
  setTimeout(() => !outbox.empty && !here("saving").textContent && say(words.saving), 400);
  refresh();
  text.focus({ preventScroll: true });
}

function fallbackKey() {
  // pages without https have no randomUUID
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

function offer(messages) {
  const row = here("choices");
  row.replaceChildren();
  for (const choice of messages.flatMap((message) => message.choices)) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = choice.title;
    button.dataset.payload = choice.payload;
    row.append(button);
  }
}

// What was not answered stays in the composer, to be changed, and a button sends it as it was.
function offerAgain() {
  const words_ = transcript.unanswered;
  if (!words_) return;
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = words.again;
  button.dataset.again = words_;
  here("choices").replaceChildren(button);
  if (!text.value) text.value = words_;
}

function take(news) {
  for (const entry of news) {
    if (entry.seq <= seq) continue;
    if (entry.kind === "user") transcript.user(entry);
    else if (entry.kind === "failure") {
      transcript.failure(entry);
      offerAgain();
    } else {
      transcript.system(entry);
      offer(entry.messages);
      systemShown(entry.seq);
    }
    if (entry.kind === "user") here("choices").replaceChildren();
  }
}

function stop() {
  active = false;
  outbox.stopped = true;
  refresh();
}

function stepAside() {
  stop();
  document.dispatchEvent(new CustomEvent("vivavoce-elsewhere"));
  here("elsewhere").hidden = false;
  here("elsewhere").querySelector("a").focus();
}

async function over(phase, limit) {
  stop();
  const waits = []; // a dialogue by voice is over when its last words were heard
  document.dispatchEvent(new CustomEvent("vivavoce-over", { detail: waits }));
  await Promise.race([Promise.all(waits), wait(LAST_WORDS_S)]);
  if (phase === "code" || ending) return location.replace(`${base}/visit`);
  here("time-over").hidden = limit !== "minutes";
  here("over").hidden = false;
  here("over").querySelector("a").focus();
}

async function listen() {
  let delay = 1;
  while (active) {
    const query = new URLSearchParams({ after: String(seq), wait: "25", dialogue_id: data.dialogue, tab });
    try {
      const response = await fetch(`${base}/events?${query}`, { signal: AbortSignal.timeout(40000) });
      if (response.status === 401) {
        stop();
        return say(words.no_visit);
      }
      if (!response.ok) throw new Error(String(response.status));
      const body = await response.json();
      if (!active) return;
      if (body.superseded) return stepAside();
      take(body.events);
      transcript.grow(body.growing);
      seq = Math.max(seq, body.seq);
      waiting = body.waiting;
      tooShort = body.too_short;
      delay = 1;
      if (here("saving").textContent === words.lost) say("");
      if (!body.running) return over(body.phase, body.limit);
      refresh();
    } catch {
      if (outbox.empty && !ending) say(words.lost);
      await wait(delay);
      delay = Math.min(delay * 2, 30);
    }
  }
}

async function end(confirmed) {
  if (!outbox.empty || ending) return;
  if (tooShort && !confirmed) return here("too-short").showModal();
  ending = true;
  refresh();
  const wish = { dialogue_id: data.dialogue, user_turns: transcript.userTurns, confirmed };
  const { error } = await postUntilTaken(`${base}/dialogue/end`, wish, {
    final: ["stale"], // it is over already
    tell: () => say(words.endOffline),
    going: () => active,
  });
  if (!active) return;
  if (error !== "too_short") return location.replace(`${base}/visit`);
  ending = false;
  tooShort = true;
  refresh();
  here("too-short").showModal();
}

function submitted(form, act) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    act(event);
  });
}

text.addEventListener("input", () => {
  firstKeyAt ??= performance.now();
  sessionStorage.setItem(names.draft, text.value);
});
submitted(here("say"), () => send(text.value));
submitted(here("end"), () => end(false));
submitted(here("go-on").form, () => {
  here("too-short").close();
  text.focus();
});
submitted(here("end-anyway").form, () => {
  here("too-short").close();
  end(true);
});
here("choices").addEventListener("click", (event) => {
  const button = /** @type {HTMLElement} */ (event.target).closest("button");
  if (!button) return;
  event.preventDefault();
  if (button.dataset.again === undefined) return send(button.textContent, button.dataset.payload);
  const written = text.value;
  send(button.dataset.again);
  if (written !== button.dataset.again) text.value = written;
});

text.value = sessionStorage.getItem(names.draft) ?? text.value;
for (const turn of outbox.turns) transcript.user(turn, true);
const last = [...transcript.list.querySelectorAll(".turn.system")].at(-1);
if (last && Number(last.dataset.seq) > Number(sessionStorage.getItem(names.shown) ?? 0)) {
  systemShown(Number(last.dataset.seq));
}
if (transcript.userTurns > 0) foldTask();
transcript.toEnd();
refresh();
outbox.send();
listen();
