// The wizard's side: which conversations wait, what was said in the one that is open, and the reply to it.

import { post, wait } from "./post.js";

const { base, words } = JSON.parse(document.getElementById("wizard-data").textContent);
const here = (id) => document.getElementById(id);
const title = document.title;
let seats = [];
let open = null; // the conversation that is shown: "system key"
let drawn = ""; // what is drawn of it, so that nothing is drawn anew under the wizard's hands
let sending = false;

const name = (seat) => `${seat.system} ${seat.key}`;
const current = () => seats.find((seat) => name(seat) === open && seat.mine);

function element(kind, text, facts = {}) {
  const made = document.createElement(kind);
  made.textContent = text;
  return Object.assign(made, facts);
}

async function ask(path, content) {
  const answer = await post(`${base}/${path}`, content);
  here("problem").textContent = answer.ok ? "" : (words[answer.error] ?? words.offline);
  return answer.ok;
}

function standing(seat) {
  if (!seat.mine) return words.waits;
  return seat.may_speak ? words.asks : words.mine;
}

function drawSeats() {
  const focused = document.activeElement?.dataset?.seat;
  here("seats").replaceChildren(
    ...seats.map((seat, place) => {
      const item = document.createElement("li");
      const button = element("button", seat.mine ? words.open : words.take);
      button.dataset.seat = name(seat);
      button.setAttribute("aria-describedby", `seat-${place}`);
      if (name(seat) === open) button.setAttribute("aria-current", "true");
      button.addEventListener("click", async () => {
        if (!seat.mine && !(await ask("take", { system: seat.system, key: seat.key }))) return;
        open = name(seat);
        drawn = "";
        seat.mine = true;
        await look(0);
        here("reply").focus();
      });
      item.append(button, element("span", `${seat.system}, ${standing(seat)}`, { id: `seat-${place}` }));
      return item;
    }),
  );
  here("nobody").hidden = seats.length > 0;
  [...here("seats").querySelectorAll("button")].find((one) => one.dataset.seat === focused)?.focus();
  const asking = seats.filter((seat) => !seat.mine || seat.may_speak).length;
  document.title = asking ? `(${asking}) ${title}` : title;
}

function canned(section, row, replies) {
  here(section).hidden = Object.keys(replies).length === 0;
  here(row).replaceChildren(
    ...Object.entries(replies).map(([label, text]) => {
      const button = element("button", label, { type: "button", title: text });
      button.addEventListener("click", () => {
        here("reply").value = text;
        here("reply").focus();
      });
      return button;
    }),
  );
}

function drawTalk() {
  const seat = current();
  here("talk").hidden = !seat;
  if (!seat) {
    open = null;
    return;
  }
  const now = JSON.stringify([open, seat.lines, seat.may_speak, seat.turn, seat.proposal]);
  if (now === drawn) return;
  const anew = !drawn;
  drawn = now;
  here("talk-title").textContent = [seat.system, seat.language, seat.strategy].filter(Boolean).join(", ");
  here("lines").replaceChildren(
    ...seat.lines.map((line) => {
      const item = element("li", "", { className: `turn ${line.party === "user" ? "system" : "user"}` });
      item.append(element("p", line.party === "user" ? words.participant : words.you, { className: "who" }));
      item.append(element("p", line.text, { className: "said" }));
      return item;
    }),
  );
  here("lines").lastElementChild?.scrollIntoView({ block: "nearest" });
  here("standing").textContent = !seat.may_speak ? words.theirs : seat.turn === null ? words.begin : words.yourturn;
  here("reply-label").textContent = words[seat.replaces];
  here("reply").readOnly = !seat.free_text;
  for (const id of ["send", "end"]) here(id).disabled = !seat.may_speak;
  here("closing").hidden = !seat.closing;
  here("understood").hidden = seat.understood.length === 0;
  here("understood-list").replaceChildren(...seat.understood.map((one) => element("li", one)));
  if (anew) {
    canned("script", "script-buttons", seat.script);
    canned("prompts", "prompt-buttons", seat.prompts);
  }
  if (seat.may_speak && !sending && !here("reply").value) {
    if (seat.proposal !== null) here("reply").value = seat.proposal;
    else if (["recognition", "understanding"].includes(seat.replaces)) here("reply").value = seat.turn ?? "";
  }
}

async function send(ends) {
  const seat = current();
  const text = here("reply").value;
  if (!seat || sending) return;
  sending = true;
  here("reply").value = ""; // what is written from now on is the next reply
  const said = await ask("say", { system: seat.system, key: seat.key, text, ends });
  sending = false;
  if (!said) {
    here("reply").value ||= text;
    return;
  }
  drawn = "";
  await look(0);
  here("reply").focus();
}

here("say").addEventListener("submit", (event) => {
  event.preventDefault();
  send(false);
});
here("reply").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    if (!here("send").disabled) send(false);
  }
});
here("end").addEventListener("click", () => send(true));
here("release").addEventListener("click", async () => {
  const seat = current();
  if (seat && (await ask("release", { system: seat.system, key: seat.key }))) await look(0);
});

let version = -1;
let looks = 0; // answered so far

async function look(seconds) {
  const before = looks;
  const query = new URLSearchParams({ after: String(version), wait: String(seconds) });
  const response = await fetch(`${base}/state?${query}`, { signal: AbortSignal.timeout(40000) });
  if (response.status === 401) {
    here("nobody").textContent = words.not_signed_in;
    throw new Error("signed out");
  }
  const news = await response.json();
  if (looks++ > before && news.version < version) return; // it was overtaken by an answer that knew more
  version = news.version;
  seats = news.seats;
  drawSeats();
  drawTalk();
}

for (let delay = 1; ; ) {
  try {
    await look(25);
    here("nobody").textContent ||= "";
    delay = 1;
  } catch (trouble) {
    if (trouble instanceof Error && trouble.message === "signed out") break;
    await wait(delay);
    delay = Math.min(2 * delay, 30);
  }
}
