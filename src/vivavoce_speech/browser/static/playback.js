// When the program was heard, on the dialogue's own clock: the page sets one by the service's, and tells when each of
// the program's turns began to play and how much of it was played.

import { postUntilTaken } from "./post.js";

const TRIES = 5;
const STALE_MS = 60000;

export class Playback {
  constructor(player, base, dialogue) {
    this.player = player;
    this.base = base;
    this.dialogue = dialogue;
    this.again = false;
    this.clock = this.began = null;
    player.addEventListener("playing", () => (this.began ??= performance.now() - 1000 * player.currentTime));
    player.addEventListener("pause", () => this.tell()); // at the end, too
    addEventListener("pagehide", () => this.tell());
  }

  // The request that took least time tells best; a minute later another one counts, for clocks drift and services restart.
  async setClock() {
    const asked = performance.now();
    try {
      const query = new URLSearchParams({ dialogue_id: this.dialogue });
      const response = await fetch(`${this.base}/voice/clock?${query}`, { cache: "no-store" });
      if (!response.ok) return;
      const { elapsed_s } = await response.json();
      const now = performance.now();
      const better = !this.clock || now - this.clock.now > STALE_MS || now - asked < this.clock.took;
      if (better) this.clock = { now, took: now - asked, zero: (asked + now) / 2 - 1000 * elapsed_s };
    } catch {} // without a clock the service places the sound where it came or went
  }

  // Seconds since the dialogue was opened at a moment of this page; null where nobody knows.
  elapsed(moment) {
    return this.clock && Math.max(0, (moment - this.clock.zero) / 1000);
  }

  // What was playing plays no more, or will not in a moment.
  tell() {
    const [began, played] = [this.began, this.player.currentTime];
    this.began = null;
    const started = began === null ? null : this.elapsed(began);
    const seq = Number(this.player.dataset.seq);
    if (started === null || !played) return;
    const facts = { dialogue_id: this.dialogue, seq, started_s: started, played_s: played, again: this.again };
    postUntilTaken(`${this.base}/voice/played`, facts, { tries: TRIES, keepalive: true }); // the page's last, maybe
  }
}
