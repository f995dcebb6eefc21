// Changes the rate of sound that comes piece by piece: a windowed sinc, cut off below half of the lower rate.

const CROSSINGS = 16; // zero crossings of the sinc on each side
const STEPS = 256; // places between two crossings at which the window is known

function windowedSinc() {
  const kernel = new Float32Array(CROSSINGS * STEPS + 2);
  kernel[0] = 1;
  for (let place = 1; place <= CROSSINGS * STEPS; place++) {
    const x = Math.PI * (place / STEPS);
    kernel[place] = (Math.sin(x) / x) * (0.5 + 0.5 * Math.cos(x / CROSSINGS));
  }
  return kernel;
}

export class Resampler {
  constructor(from, to) {
    this.step = from / to;
    this.cutoff = 0.94 * Math.min(1, to / from);
    this.reach = Math.ceil(CROSSINGS / this.cutoff);
    this.kernel = windowedSinc();
    this.kept = new Float32Array(2 * this.reach); // silence before the first sample
    this.next = this.reach; // where in `kept` the next sample that is given out stands
  }

  // Float32Array in, what can be given out by now out; some milliseconds stay inside.
  feed(samples) {
    if (this.step === 1) return samples;
    const all = new Float32Array(this.kept.length + samples.length);
    all.set(this.kept);
    all.set(samples, this.kept.length);
    const given = [];
    while (this.next + this.reach < all.length) {
      given.push(this.#at(all, this.next));
      this.next += this.step;
    }
    const done = Math.max(0, Math.floor(this.next) - this.reach);
    this.kept = all.slice(done);
    this.next -= done;
    return Float32Array.from(given);
  }

  #at(all, place) {
    const { kernel, cutoff, reach } = this;
    const first = Math.ceil(place - reach);
    const last = Math.floor(place + reach);
    let sum = 0;
    for (let at = first; at <= last; at++) {
      const far = Math.abs(at - place) * cutoff * STEPS;
      const low = Math.floor(far);
      if (low >= CROSSINGS * STEPS) continue;
      sum += all[at] * (kernel[low] + (far - low) * (kernel[low + 1] - kernel[low]));
    }
    return sum * cutoff;
  }
}
