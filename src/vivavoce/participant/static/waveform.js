// Draws a recording with the turns in it, and plays it turn by turn, also by keyboard.
// Without this script the browser's own player is there, and nothing else.

const SVG = "http://www.w3.org/2000/svg";
const PIXELS_A_SECOND = 12;
const TOP = 20; // for the numbers of turns
const ROW = 52;
const begun = new WeakSet();
const tracks = new WeakMap();

function made(name, facts, words) {
  const element = document.createElementNS(SVG, name);
  for (const [fact, value] of Object.entries(facts)) element.setAttribute(fact, value);
  if (words !== undefined) element.textContent = words;
  return element;
}

function clock(seconds) {
  const whole = Math.floor(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

const percent = (part, whole) => `${(100 * part) / whole}%`;

// One channel's outline; what is loudest in the recording fills the row.
function outline(peaks, loudest, top) {
  const picture = made("svg", {
    x: 0, y: top, width: "100%", height: ROW, viewBox: `0 -100 ${Math.max(1, peaks.length)} 200`, preserveAspectRatio: "none",
  });
  const heights = peaks.map((peak) => (loudest ? Math.max(1, Math.round((96 * peak) / loudest)) : 1));
  const above = heights.map((height, at) => `L${at} ${-height}L${at + 1} ${-height}`).join("");
  const below = heights.map((height, at) => `L${at + 1} ${height}L${at} ${height}`).reverse().join("");
  picture.append(made("path", { class: "wave-outline", d: `M0 0${above}${below}Z` }));
  return picture;
}

function draw(figure, track) {
  const { duration_s: length, channels, turns } = track;
  const height = TOP + ROW * channels.length;
  const picture = made("svg", { role: "img", "aria-label": figure.dataset.label, height, class: "wave-picture" });
  picture.style.minWidth = `${Math.min(30000, Math.round(length * PIXELS_A_SECOND))}px`;
  const loudest = Math.max(0, ...channels.map((one) => one.peaks.reduce((a, b) => Math.max(a, b), 0)));
  turns.forEach((turn, at) => {
    const row = channels.findIndex((one) => one.speaker === turn.party);
    const wide = Math.max(0, turn.offset_s - turn.onset_s);
    const span = made("g", { class: `wave-turn ${turn.party}`, "data-at": at });
    span.append(made("title", {}, told(figure, turn)));
    span.append(made("rect", {
      x: percent(turn.onset_s, length), width: percent(wide, length),
      y: TOP + ROW * Math.max(0, row), height: row < 0 ? ROW * channels.length : ROW,
    }));
    if (turn.turn_index !== null) {
      span.append(made("text", { x: percent(turn.onset_s + wide / 2, length), y: TOP - 6 }, turn.turn_index));
    }
    picture.append(span);
  });
  channels.forEach((one, at) => picture.append(outline(one.peaks, loudest, TOP + ROW * at)));
  picture.append(made("line", { class: "wave-now", x1: 0, x2: 0, y1: TOP - 4, y2: height }));
  return picture;
}

function told(figure, turn) {
  const words = figure.dataset;
  const number = turn.turn_index === null ? words.unlogged : `${words.turn} ${turn.turn_index}`;
  const said = turn.text ? `: ${turn.text}` : "";
  return `${clock(turn.onset_s)}–${clock(turn.offset_s)} ${words[turn.party]}, ${number}${said}`;
}

function listed(figure, track, go) {
  const list = figure.querySelector(".wave-list");
  track.turns.forEach((turn, at) => {
    const item = document.createElement("li");
    const button = document.createElement("button");
    button.type = "button";
    button.className = `wave-jump ${turn.party}`;
    button.textContent = told(figure, turn);
    button.addEventListener("click", () => go(at));
    item.append(button);
    list.append(item);
  });
  figure.querySelector(".wave-turns").hidden = !track.turns.length;
}

export async function begin(figure) {
  if (begun.has(figure)) return;
  begun.add(figure);
  let track;
  try {
    const answer = await fetch(figure.dataset.track, { headers: { Accept: "application/json" } });
    if (!answer.ok) throw new Error(String(answer.status));
    track = await answer.json();
  } catch {
    figure.querySelector(".wave-news").textContent = figure.dataset.undrawn;
    return;
  }
  const audio = figure.querySelector("audio");
  const frame = figure.querySelector(".wave-frame");
  const picture = track.duration_s ? draw(figure, track) : null;
  if (picture) {
    frame.append(picture);
    frame.hidden = false;
  }
  operate(figure, audio, frame, picture, track);
}

function operate(figure, audio, frame, picture, track) {
  const { turns, duration_s: length } = track;
  let stopAt = null;
  const at = () => turns.findLastIndex((turn) => turn.onset_s <= audio.currentTime + 0.02);
  const button = (name) => figure.querySelector(`[data-wave="${name}"]`);

  function go(number, { alone = false } = {}) {
    const turn = turns[number];
    if (!turn) return;
    audio.currentTime = turn.onset_s;
    stopAt = alone ? turn.offset_s : null;
    audio.play().catch(() => {});
  }

  function step(by) {
    const here = at();
    const into = here >= 0 && audio.currentTime - turns[here].onset_s > 1; // a second press goes further back
    go(by > 0 ? here + 1 : Math.max(0, into ? here : here - 1));
  }

  function toggle() {
    stopAt = null;
    if (audio.paused) audio.play().catch(() => {});
    else audio.pause();
  }

  function moved() {
    if (stopAt !== null && audio.currentTime >= stopAt) {
      audio.pause();
      audio.currentTime = stopAt; // a busy page is told late: what comes next begins where the turn ended
      stopAt = null;
    }
    const now = turns.findLastIndex((turn) => turn.onset_s <= audio.currentTime + 0.02 && audio.currentTime < turn.offset_s);
    mark(figure, picture, turns, now);
    if (!picture) return;
    const line = picture.querySelector(".wave-now");
    for (const end of ["x1", "x2"]) line.setAttribute(end, percent(Math.min(audio.currentTime, length), length));
    const x = (picture.getBoundingClientRect().width * audio.currentTime) / length;
    if (x < frame.scrollLeft || x > frame.scrollLeft + frame.clientWidth) frame.scrollLeft = x - 24;
  }

  const doings = { before: () => step(-1), play: toggle, next: () => step(1) };
  const keys = { p: "before", " ": "play", n: "next" };
  for (const [name, does] of Object.entries(doings)) button(name).addEventListener("click", does);
  button("before").hidden = button("next").hidden = !turns.length;
  figure.querySelector(".wave-controls").hidden = false;
  figure.addEventListener("keydown", (event) => {
    const name = keys[event.key.toLowerCase()];
    if (!name || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === " " && event.target.closest("button, audio, summary")) return event.stopPropagation();
    event.preventDefault();
    event.stopPropagation(); // the page has keys of its own
    doings[name]();
  });
  for (const name of ["play", "pause", "ended"]) {
    audio.addEventListener(name, () => (button("play").textContent = audio.paused ? figure.dataset.play : figure.dataset.pause));
  }
  audio.addEventListener("timeupdate", moved);
  audio.addEventListener("seeked", moved);
  picture?.addEventListener("click", (event) => {
    const box = picture.getBoundingClientRect();
    stopAt = null;
    audio.currentTime = (length * (event.clientX - box.left)) / box.width;
  });
  listed(figure, track, go);
  tracks.set(figure, { turns, go });
  figure.dataset.drawn = String(turns.length);
}

// Shows which turn is heard: in the picture, in words under it, and in the page's transcript.
function mark(figure, picture, turns, now) {
  if (figure.dataset.now === String(now)) return;
  figure.dataset.now = String(now);
  for (const span of picture?.querySelectorAll(".wave-turn") ?? []) span.classList.toggle("heard", span.dataset.at === String(now));
  figure.querySelector(".wave-news").textContent = now < 0 ? "" : told(figure, turns[now]);
  const turn = now < 0 ? null : turns[now].turn_index;
  for (const line of document.querySelectorAll("li[data-turn]")) {
    line.classList.toggle("heard", turn !== null && line.dataset.turn === String(turn));
  }
}

// Plays one turn of the log and stops; false where no recording on the page has it.
export function playTurn(index) {
  for (const figure of document.querySelectorAll("[data-track]")) {
    const track = tracks.get(figure);
    const number = track ? track.turns.findIndex((turn) => turn.turn_index === index) : -1;
    if (number >= 0) {
      for (const other of document.querySelectorAll("[data-track] audio")) other.pause();
      track.go(number, { alone: true });
      return true;
    }
  }
  return false;
}

export function beginAll() {
  for (const figure of document.querySelectorAll("[data-track]")) begin(figure);
}

beginAll();
