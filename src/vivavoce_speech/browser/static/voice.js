// A dialogue by voice: check the microphone, press and speak, press and be answered. The chat beside it keeps the
// turns; without a microphone, or at the participant's wish, it takes them in writing.

import { OpenMicrophone } from "./open-microphone.js";
import { Playback } from "./playback.js";
import { postUntilTaken } from "./post.js";
import { enable, silent, wav } from "./takes.js";
import { forgetTurns, keepTurn, unsentTurn } from "./unsent.js";

const here = (id) => document.getElementById(id);
const panel = here("voice");
const told = panel.dataset;
const [check, ready, talk, news, said, form] = ["check", "ready", "talk", "voice-news", "said", "say"].map(here);
const remembered = {
  checked: `vivavoce-microphone`,
  heard: `vivavoce-heard:${told.dialogue}`,
  pushes: `vivavoce-pushes:${told.dialogue}`,
};
const ANSWER_WITHIN_S = 90;
let running = null; // {stream, context, recorder, pieces, frames, rate, finished}
let endedAt = null; // when the program stopped speaking
let startedAt = null;
let repeating = false; // an answer is heard once more
let played = null; // seconds of the program's turn that were heard, where speaking cut it off
let open = null; // the open microphone, where the study has one
const playback = new Playback(said, told.base, told.dialogue);

function tell(words) {
  news.textContent = words;
}

function write() {
  if (told.onlySpoken) return tell(told.onlySpoken); // the system is a telephone, which takes no text
  if (open) mute(true);
  form.hidden = false;
  here("text").focus();
}

function denied() {
  tell(told.denied);
  check.disabled = talk.disabled = true;
  write();
}

function integers(samples) {
  return Int16Array.from(samples, (one) => Math.round(Math.max(-1, Math.min(1, one)) * 32767));
}

// -60 dB is the left end, full scale the right one.
function loudness(samples) {
  const power = samples.reduce((sum, one) => sum + one * one, 0) / samples.length;
  return Math.max(0, Math.min(1, 1 + (10 * Math.log10(power + 1e-12)) / 60));
}

async function start(finished) {
  let stream;
  try {
    stream = await navigator.mediaDevices.getUserMedia({ audio: { channelCount: 1 } });
  } catch {
    return denied();
  }
  played = said.paused || said.ended || repeating ? null : said.currentTime;
  said.pause(); // who speaks into the answer stops it
  const context = new AudioContext();
  await context.audioWorklet.addModule(told.worklet);
  const recorder = new AudioWorkletNode(context, "vivavoce-recorder", { numberOfOutputs: 0 });
  running = { stream, context, recorder, finished, pieces: [], frames: 0, rate: context.sampleRate };
  recorder.port.onmessage = ({ data }) => (data ? heard(data) : stopped());
  context.createMediaStreamSource(stream).connect(recorder);
  startedAt = performance.now();
  playback.setClock();
  panel.dataset.soFar = "0";
  here("loudness").hidden = false;
  tell(told.recording);
  return true;
}

function heard(samples) {
  running.pieces.push(integers(samples));
  running.frames += samples.length;
  here("level").value = String(loudness(samples));
  panel.dataset.soFar = String(running.frames / running.rate);
  if (running.frames >= Number(told.seconds) * running.rate) stop();
}

function stop() {
  if (!running || running.stopping) return; // a second press while the first is under way
  running.stopping = true;
  running.recorder.port.postMessage("stop");
}

async function stopped() {
  const { stream, context, pieces, frames, rate, finished } = running;
  const began = performance.now() - (1000 * frames) / rate; // the sound ends now
  running = null;
  stream.getTracks().forEach((track) => track.stop());
  await context.close();
  here("loudness").hidden = true;
  finished(wav(pieces, rate), pieces, began);
}

async function checkMicrophone() {
  if (running) return stop();
  check.disabled = true;
  if (await start(checked)) {
    check.textContent = told.stop;
    enable(check);
  }
}

function checked(sound, pieces) {
  check.textContent = told.again;
  if (silent(pieces)) {
    check.classList.add("primary");
    here("check-playback").hidden = ready.hidden = true;
    return tell(told.soundless);
  }
  check.classList.remove("primary");
  URL.revokeObjectURL(here("check-listen").src);
  here("check-listen").src = URL.createObjectURL(sound);
  here("check-playback").hidden = ready.hidden = false;
  tell(told.checked);
  ready.focus();
}

function begin() {
  sessionStorage.setItem(remembered.checked, "yes");
  here("check-listen").pause();
  here("checking").hidden = true;
  here("captions-choice").hidden = false;
  tell("");
  if (told.microphone === "open" && !sessionStorage.getItem(remembered.pushes)) {
    speakFreely();
    return;
  }
  here("talking").hidden = false;
  talk.focus();
  playback.setClock();
  speakNext();
}

async function speakFreely() {
  const query = new URLSearchParams({ dialogue_id: told.dialogue, tab: told.tab });
  const url = new URL(`${told.base}/voice/microphone?${query}`, location.href);
  url.protocol = url.protocol.replace("http", "ws");
  open = new OpenMicrophone(url.href, told.duplex, { doing: showDoing, level: showLevel, ended: closed });
  here("open-talking").hidden = here("loudness").hidden = false;
  try {
    await open.open();
  } catch {
    open = null;
    here("open-talking").hidden = here("loudness").hidden = true;
    return denied();
  }
  here("mute").focus();
}

function showDoing(doing) {
  panel.dataset.doing = doing;
  const words = doing === "hearing" ? told.listening : told[doing];
  if (here("doing").textContent !== words) here("doing").textContent = words;
  here("wake").hidden = doing !== "asleep";
}

function showLevel(level) {
  here("level").value = String(level);
}

// The open microphone is closed: the dialogue is over or goes on elsewhere, or the participant goes on otherwise.
function closed(reason) {
  open = null;
  panel.dataset.doing = "closed";
  here("open-talking").hidden = here("loudness").hidden = true;
  if (reason === "microphone") {
    tell(told.unplugged);
    return write();
  }
  if (["over", "superseded", "not_running"].includes(reason)) return;
  if (told.onlySpoken) return write();
  sessionStorage.setItem(remembered.pushes, "yes");
  sessionStorage.setItem(remembered.heard, String(lastSaid() ?? 0)); // what was said was heard already
  begin();
  tell(reason === "left" ? "" : reason === "full" ? told.noRoom : told.broken);
}

function mute(muted) {
  here("mute").setAttribute("aria-pressed", muted);
  open?.mute(muted);
}

async function speakUp() {
  if (running) return stop();
  talk.disabled = true;
  if (await start(deliver)) {
    talk.textContent = told.done;
    enable(talk);
  }
}

async function deliver(sound, pieces, began) {
  talk.textContent = told.talk;
  if (silent(pieces)) return tell(told.soundless);
  talk.disabled = true;
  const place = new URLSearchParams({ dialogue_id: told.dialogue, key: crypto.randomUUID(), tab: told.tab });
  if (endedAt !== null && startedAt >= endedAt) place.set("response_delay_s", String((startedAt - endedAt) / 1000));
  if (played !== null) place.set("played_s", String(played));
  const startedS = playback.elapsed(began);
  if (startedS !== null) place.set("started_s", String(startedS));
  await keepTurn(told.dialogue, { place: String(place), sound }).catch(() => {}); // private windows keep nothing
  await send(place, sound);
}

async function send(place, sound) {
  talk.disabled = true;
  tell(told.sending);
  const { error } = await postUntilTaken(`${told.base}/voice/turn?${place}`, sound, {
    final: ["deaf"], // nobody here understands speech now: whoever spoke may write
    within: ANSWER_WITHIN_S,
    tell: (why) => why === "offline" && tell(told.offline),
  });
  if (error !== "superseded") await forgetTurns().catch(() => {}); // else this page sends it again when it is the newest
  enable(talk);
  tell(error === null ? "" : error === "not_understood" ? told.notUnderstood : told.failed);
  if (error === "superseded" || error === "not_running") location.reload();
}

// What was spoken before a reload, or before the page was closed, and did not arrive.
async function sendKept() {
  const turn = await unsentTurn(told.dialogue).catch(() => undefined);
  if (turn === undefined) return;
  const place = new URLSearchParams(turn.place);
  place.set("tab", told.tab);
  await send(place, turn.sound);
}

function saidSoFar() {
  return [...document.querySelectorAll("#transcript .turn.system")].map((one) => Number(one.dataset.seq));
}

function lastSaid() {
  return saidSoFar().at(-1);
}

// Speaks the program's turns one after another, each once; a reload goes on behind the last one heard.
function speakNext(again = false) {
  const turns = saidSoFar();
  const last = Number(sessionStorage.getItem(remembered.heard) ?? 0);
  const next = again ? turns.at(-1) : turns.find((seq) => seq > last);
  if (next === undefined || running || (!again && !said.paused && !said.ended)) return;
  sessionStorage.setItem(remembered.heard, String(Math.max(next, last)));
  playback.tell();
  said.src = `${told.base}/voice/said/${next}`;
  said.dataset.seq = String(next);
  repeating = playback.again = again;
  said.play().catch(() => {});
}

function caption() {
  here("transcript").hidden = !here("captions").checked;
}

said.addEventListener("ended", () => {
  endedAt = performance.now();
  panel.dataset.heard = said.dataset.seq;
  speakNext();
});
check.addEventListener("click", checkMicrophone);
ready.addEventListener("click", begin);
talk.addEventListener("click", speakUp);
here("repeat").addEventListener("click", () => speakNext(true));
here("write")?.addEventListener("click", write);
here("captions").addEventListener("change", caption);
here("mute")?.addEventListener("click", () => mute(here("mute").getAttribute("aria-pressed") !== "true"));
here("push")?.addEventListener("click", () => open?.leave());
here("wake")?.addEventListener("click", () => open?.wake());
// The chat waits until the program's last words were heard, and lets go where another tab went on.
document.addEventListener("vivavoce-over", (event) => {
  if (open) /** @type {CustomEvent<Promise<void>[]>} */ (event).detail.push(open.finished);
});
document.addEventListener("vivavoce-elsewhere", () => open?.drop());
new MutationObserver(() => here("talking").hidden || speakNext()).observe(here("transcript"), { childList: true });

panel.hidden = false;
form.hidden = true;
caption();
sendKept();
if (!navigator.mediaDevices || !("AudioWorkletNode" in window)) denied();
else if (sessionStorage.getItem(remembered.checked)) begin();
