// An open microphone: what it hears goes to the service frame by frame, what the service says is played, and a lost
// connection is taken up again. The service decides who may speak and when a turn is over.

import { wait } from "./post.js";

const RATE = 16000;
const HEAD = 16;
const MOST_WAITING = 260000; // bytes that may wait for the network, eight seconds; more is left out and counted as lost
const LONGEST_WAIT_S = 10;
const BYE = JSON.stringify({ kind: "bye" });

async function contextAt(rate, stream) {
  const context = new AudioContext(rate ? { sampleRate: rate } : {});
  try {
    return { context, source: context.createMediaStreamSource(stream) };
  } catch (error) {
    await context.close();
    throw error;
  }
}

// -60 dB is the left end, full scale the right one.
function loudness(samples) {
  const power = samples.reduce((sum, one) => sum + (one / 32768) ** 2, 0) / samples.length;
  return Math.max(0, Math.min(1, 1 + (10 * Math.log10(power + 1e-12)) / 60));
}

export class OpenMicrophone {
  // url of the WebSocket, address of the worklet's code; shows: {doing(state), level(0..1), ended(reason)}
  // state: connecting, listening, hearing, thinking, speaking, muted, lost, asleep
  constructor(url, worklet, shows) {
    this.url = url;
    this.worklet = worklet;
    this.shows = shows;
    this.doing = "connecting";
    this.sounding = this.muted = false;
    this.reached = this.greeted = false; // by the service: now, and ever
    this.line = 0; // connections so far
    this.finished = new Promise((done) => (this.finish = done));
    this.ended = false;
  }

  // Throws where the browser gives no microphone.
  async open() {
    const audio = { channelCount: 1, echoCancellation: true };
    this.stream = await navigator.mediaDevices.getUserMedia({ audio });
    const { context, source } = await contextAt(RATE, this.stream).catch(() => contextAt(null, this.stream));
    this.context = context;
    await context.audioWorklet.addModule(this.worklet);
    this.node = new AudioWorkletNode(context, "vivavoce-duplex", { outputChannelCount: [1] });
    this.node.port.onmessage = ({ data }) => this.#heard(data);
    source.connect(this.node).connect(context.destination);
    this.stream.getAudioTracks()[0].addEventListener("ended", () => this.#end("microphone"));
    context.addEventListener("statechange", () => this.#show());
    context.resume().catch(() => {});
    window.addEventListener("pagehide", () => this.socket?.close());
    this.#connect();
  }

  mute(muted) {
    this.muted = muted;
    this.node.port.postMessage({ kind: "mute", muted });
    this.#show();
  }

  // Browsers keep a page silent that nobody has touched yet.
  wake() {
    return this.context.resume();
  }

  // Ends the microphone, not the dialogue. Also where the connection is lost just now: a service that is not told
  // waits for the page, and keeps no recording until then.
  leave() {
    if (this.greeted && !this.ended) this.#farewell();
    this.#end("left");
  }

  async #farewell() {
    const open = this.socket?.readyState === WebSocket.OPEN;
    if (open) return this.socket.send(BYE);
    for (let delay = 0.5; delay <= LONGEST_WAIT_S; delay *= 2) {
      const socket = new WebSocket(this.url);
      const opened = await new Promise((done) => {
        socket.onopen = () => done(true);
        socket.onclose = () => done(false);
      });
      if (opened) {
        socket.send(BYE);
        return socket.close();
      }
      await wait(delay);
    }
  }

  // Another tab has the dialogue now.
  drop() {
    this.#end("superseded");
  }

  async #connect() {
    for (let delay = 0.5; !this.ended; delay = Math.min(delay * 2, LONGEST_WAIT_S)) {
      if (await this.#connected()) delay = 0.5;
      if (this.ended) return;
      this.reached = false;
      this.sounding = false;
      this.node.port.postMessage({ kind: "stop", position: 0 });
      this.#show();
      await wait(delay);
    }
  }

  // One connection from its beginning to its end; whether the service answered.
  #connected() {
    return new Promise((done) => {
      const socket = new WebSocket(this.url);
      let greeted = false;
      socket.binaryType = "arraybuffer";
      socket.onmessage = ({ data }) => {
        if (data instanceof ArrayBuffer) return this.#play(data);
        const told = JSON.parse(data);
        greeted ||= told.kind === "hello";
        this.#told(told);
      };
      socket.onclose = () => done(greeted);
      this.socket = socket;
    });
  }

  #told({ kind, position, doing, reason }) {
    if (kind === "hello") {
      this.node.port.postMessage({ kind: "begin", position, line: ++this.line });
      this.reached = this.greeted = true;
      this.doing = doing;
    } else if (kind === "stop") {
      this.node.port.postMessage({ kind: "stop", position });
    } else if (kind === "doing") {
      this.doing = doing;
    } else if (kind === "superseded") {
      this.#end("superseded");
    } else if (kind === "refused" || (kind === "over" && ["over", "left"].includes(reason))) {
      this.#end(reason);
    }
    this.#show();
  }

  #play(content) {
    const samples = new Int16Array(content, 4);
    this.node.port.postMessage({ kind: "play", samples });
  }

  #heard({ message, line, sounding }) {
    const { socket } = this;
    const there = this.reached && line === this.line && socket.readyState === WebSocket.OPEN;
    const sent = there && socket.bufferedAmount < MOST_WAITING;
    const samples = new Int16Array(message, HEAD);
    this.shows.level(loudness(samples));
    if (sent) socket.send(message);
    if (sounding !== this.sounding) {
      this.sounding = sounding;
      this.#show();
    }
  }

  #show() {
    if (this.ended) return;
    const asleep = this.context.state !== "running";
    const silent = this.muted ? "muted" : this.doing;
    const away = this.greeted ? "lost" : "connecting";
    this.shows.doing(asleep ? "asleep" : !this.reached ? away : this.sounding ? "speaking" : silent);
  }

  #end(reason) {
    if (this.ended) return;
    this.ended = true;
    this.stream.getTracks().forEach((track) => track.stop());
    this.node.port.postMessage({ kind: "close" });
    this.socket?.close();
    this.context.close();
    this.finish();
    this.shows.ended(reason);
  }
}
