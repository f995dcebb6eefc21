// Records a response: press, speak, press, listen, go on. It stays in the browser until the server has it.

import { postUntilTaken } from "./post.js";
import { enable, forget, keep, kept, silent, wav } from "./takes.js";

const PIECE_FRAMES = 16384;
const ANSWER_WITHIN_S = 60;

const element = (id) => document.getElementById(id);
const studio = element("studio");
const told = studio.dataset;
const [record, send, listen, level, news] = ["record", "send", "listen", "level", "news"].map(element);
let running = null;
let taken = null; // {key, takes, rate, pieces}

function tell(words) {
  news.textContent = words;
}

function seconds() {
  const frames = taken.pieces.reduce((sum, piece) => sum + piece.length, 0);
  return frames / taken.rate;
}

function integers(samples) {
  return Int16Array.from(samples, (one) => Math.round(Math.max(-1, Math.min(1, one)) * 32767));
}

// -60 dB is the left end, full scale the right one.
function loudness(samples) {
  const power = samples.reduce((sum, one) => sum + one * one, 0) / samples.length;
  return Math.max(0, Math.min(1, 1 + (10 * Math.log10(power + 1e-12)) / 60));
}

function offer(words) {
  record.textContent = record.dataset.again;
  record.classList.remove("primary");
  element("loudness").hidden = true;
  element("playback").hidden = send.hidden = false;
  URL.revokeObjectURL(listen.src);
  listen.src = URL.createObjectURL(wav(taken.pieces, taken.rate));
  tell(words.replace("{s}", seconds().toLocaleString(document.documentElement.lang, { maximumFractionDigits: 1 })));
}

async function start() {
  record.disabled = true;
  let stream;
  try {
    const exact = { channelCount: 1, echoCancellation: false, noiseSuppression: false, autoGainControl: false };
    stream = await navigator.mediaDevices.getUserMedia({ audio: exact });
  } catch {
    record.disabled = false;
    denied();
    return;
  }
  const context = new AudioContext();
  await context.audioWorklet.addModule(told.worklet);
  await forget().catch(() => {});
  taken = { key: crypto.randomUUID(), takes: (taken?.takes ?? 0) + 1, rate: context.sampleRate, pieces: [] };
  const recorder = new AudioWorkletNode(context, "vivavoce-recorder", { numberOfOutputs: 0 });
  running = { stream, context, recorder, unkept: [], frames: 0 };
  told.soFar = "0";
  recorder.port.onmessage = ({ data }) => (data ? heard(data) : stopped());
  context.createMediaStreamSource(stream).connect(recorder);
  element("playback").hidden = send.hidden = true;
  element("loudness").hidden = false;
  record.textContent = record.dataset.stop;
  record.classList.add("primary");
  enable(record);
  tell(told.recording);
}

function heard(samples) {
  const whole = integers(samples);
  taken.pieces.push(whole);
  running.unkept.push(whole);
  running.frames += whole.length;
  level.value = String(loudness(samples));
  told.soFar = String(running.frames / taken.rate);
  if (running.unkept.length * samples.length >= PIECE_FRAMES) preserve();
  if (running.frames >= Number(told.seconds) * taken.rate) stop();
}

function preserve() {
  const samples = running.unkept;
  running.unkept = [];
  const { key, takes, rate } = taken;
  return keep({ take: told.key, key, takes, rate, samples }).catch(() => {}); // private windows keep nothing
}

function stop() {
  if (!running || running.stopping) return;
  running.stopping = record.disabled = true;
  running.recorder.port.postMessage("stop");
}

async function stopped() {
  const { stream, context } = running;
  stream.getTracks().forEach((track) => track.stop());
  await preserve();
  running = null;
  await context.close();
  record.disabled = false;
  if (silent(taken.pieces)) {
    await forget().catch(() => {});
    element("loudness").hidden = true;
    record.textContent = record.dataset.again;
    tell(told.silent);
    return;
  }
  offer(told.recorded);
  send.focus();
}

function denied() {
  tell(told.denied);
  element("typing").open = true;
  element("text").focus();
}

async function deliver() {
  record.disabled = send.disabled = true;
  tell(told.sending);
  const place = { step: told.step, position: told.position, key: told.key, takes: taken.takes };
  for (const field of document.querySelectorAll("[data-beside]")) place[field.name] = field.value;
  const url = `${told.url}?${new URLSearchParams(place)}`;
  const { error } = await postUntilTaken(url, wav(taken.pieces, taken.rate), {
    final: ["stale"], // the visit is elsewhere by now
    within: ANSWER_WITHIN_S,
    tell: () => tell(told.waiting),
  });
  if (error !== null && error !== "stale" && error !== "no_visit") {
    tell(told.refused);
    record.disabled = send.disabled = false;
    return;
  }
  await forget().catch(() => {});
  location.assign(told.next);
}

async function restore() {
  const pieces = await kept(told.key).catch(() => []);
  if (!pieces.length || running) return;
  const { key, takes, rate } = pieces[0];
  taken = { key, takes, rate, pieces: pieces.flatMap((piece) => piece.samples) };
  if (taken.pieces.length) offer(told.restored);
}

record.addEventListener("click", () => (running ? stop() : start()));
send.addEventListener("click", deliver);
element("typing").querySelector("form").addEventListener("submit", () => forget().catch(() => {}));

studio.hidden = false;
if (navigator.mediaDevices && "AudioWorkletNode" in window) {
  element("typing").open = element("text").value !== "";
  restore();
} else {
  denied();
  record.disabled = true;
}
