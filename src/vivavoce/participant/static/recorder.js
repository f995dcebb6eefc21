// Runs beside the page's own thread and hands over every frame of the microphone's first channel, in order.

const BATCH = 2048;

class Recorder extends AudioWorkletProcessor {
  constructor() {
    super();
    this.batch = new Float32Array(BATCH);
    this.filled = 0;
    this.on = true;
    this.port.onmessage = () => {
      this.on = false;
      this.#hand();
      this.port.postMessage(null); // the end
    };
  }

  process([input]) {
    const frames = input[0];
    if (!this.on || !frames) return this.on;
    for (const frame of frames) {
      this.batch[this.filled++] = frame;
      if (this.filled === BATCH) this.#hand();
    }
    return true;
  }

  #hand() {
    if (this.filled) this.port.postMessage(this.batch.slice(0, this.filled));
    this.filled = 0;
  }
}

registerProcessor("vivavoce-recorder", Recorder);
