// Runs beside the page's own thread: hears the microphone and plays what the service sent, on one clock of 16 kHz.
// Each frame of 20 ms that it hands over says which of the service's samples were played while it was recorded.

import { Resampler } from "./resample.js";

const RATE = 16000;
const FRAME = 320;
const HEAD = 16; // number, first place played, place after the last one played, milliseconds: four bytes each
const HOLD_FRAMES = 5; // how long the first sound waits for more, so that a slow network is not heard

class Duplex extends AudioWorkletProcessor {
  constructor() {
    super();
    this.down = new Resampler(sampleRate, RATE);
    this.up = new Resampler(RATE, sampleRate);
    this.out = new Float32Array(0); // at the page's rate, to be played next
    this.muted = false;
    this.on = true;
    this.begin(0, 0);
    this.port.onmessage = ({ data }) => this.#told(data);
  }

  begin(position, line) {
    this.line = line; // which connection the numbers belong to
    this.number = 0;
    this.filled = 0;
    this.began = Date.now(); // tells the service of sound that this page never got
    this.clear(position);
    this.frame();
  }

  clear(position) {
    this.pieces = []; // 16-bit samples that wait to be played
    this.used = 0; // of the first piece
    this.position = position;
    this.sounding = false;
    this.held = 0;
  }

  frame() {
    this.message = new ArrayBuffer(HEAD + 2 * FRAME);
    this.samples = new Int16Array(this.message, HEAD);
    this.start = this.end = this.position;
    if (!this.pieces.length) this.sounding = false;
    else if (!this.sounding) this.sounding = ++this.held > HOLD_FRAMES;
    if (this.sounding) this.held = 0;
  }

  #told({ kind, position, line, samples, muted }) {
    if (kind === "begin") this.begin(position, line);
    else if (kind === "stop") this.clear(position);
    else if (kind === "play") this.pieces.push(samples);
    else if (kind === "mute") this.muted = muted;
    else if (kind === "close") this.on = false;
  }

  #played() {
    if (!this.sounding || !this.pieces.length) return 0;
    const sample = this.pieces[0][this.used++];
    this.end = this.position += 1; // a "stop" moves the place, but not what was played until then
    if (this.used === this.pieces[0].length) {
      this.pieces.shift();
      this.used = 0;
    }
    return sample / 32768;
  }

  process([input], [output]) {
    const quantum = output[0].length;
    const heard = input[0] && !this.muted ? input[0] : new Float32Array(quantum);
    const said = this.down.feed(heard);
    const played = new Float32Array(said.length);
    for (let i = 0; i < said.length; i++) {
      played[i] = this.#played();
      this.samples[this.filled++] = Math.max(-32768, Math.min(32767, Math.round(said[i] * 32768)));
      if (this.filled === FRAME) this.#hand();
    }
    this.#sound(output, this.up.feed(played));
    return this.on;
  }

  #sound(output, more) {
    const all = new Float32Array(this.out.length + more.length);
    all.set(this.out);
    all.set(more, this.out.length);
    const ready = all.length >= output[0].length;
    if (ready) for (const channel of output) channel.set(all.subarray(0, channel.length));
    this.out = ready ? all.slice(output[0].length) : all;
  }

  #hand() {
    const head = new DataView(this.message);
    head.setUint32(0, this.number++, true);
    head.setUint32(4, this.start, true);
    head.setUint32(8, this.end, true);
    head.setUint32(12, Math.max(0, Date.now() - this.began), true);
    this.port.postMessage({ message: this.message, line: this.line, sounding: this.end > this.start }, [this.message]);
    this.filled = 0;
    this.frame();
  }
}

registerProcessor("vivavoce-duplex", Duplex);
