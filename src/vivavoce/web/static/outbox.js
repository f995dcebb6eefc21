// Turns on their way to the server: each has a key, stays in localStorage until it is acknowledged, and is
// sent again for ever. The server takes a key only once, so sending again can never double a turn.

const LONGEST_WAIT_S = 30;
const ANSWER_WITHIN_MS = 20000;
const HOPELESS = ["too_long", "empty", "bad_request", "not_running", "superseded", "no_visit"];

export function wait(seconds) {
  return new Promise((done) => {
    const finish = () => {
      clearTimeout(timer);
      window.removeEventListener("online", finish);
      done();
    };
    const timer = setTimeout(finish, seconds * 1000);
    window.addEventListener("online", finish);
  });
}

// Posts JSON; {ok, body, error}. error is "offline" when no answer came.
export async function post(url, content) {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(content),
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
    const body = await response.json().catch(() => ({}));
    return { ok: response.ok, body, error: response.ok ? null : (body.error ?? "offline") };
  } catch {
    return { ok: false, body: {}, error: "offline" };
  }
}

export class Outbox {
  // told: {acknowledged(turn, ack), refused(turn, reason), trouble(reason or null)}
  constructor(url, storageName, tab, told) {
    Object.assign(this, { url, storageName, tab, told });
    this.turns = this.#read();
    this.sending = false;
    this.stopped = false;
  }

  get empty() {
    return this.turns.length === 0;
  }

  add(turn) {
    this.turns.push(turn);
    this.#write();
    this.send();
  }

  async send() {
    if (this.sending) return;
    this.sending = true;
    let delay = 1;
    while (!this.stopped && this.turns.length > 0) {
      const turn = this.turns[0];
      const { ok, body, error } = await post(this.url, { ...turn, tab: this.tab });
      if (this.stopped) break;
      if (ok) {
        this.#drop();
        delay = 1;
        this.told.acknowledged(turn, body);
      } else if (HOPELESS.includes(error)) {
        if (error !== "superseded") this.#drop();
        this.told.refused(turn, error);
        if (error === "superseded") break;
      } else {
        this.told.trouble(error);
        await wait(delay);
        delay = Math.min(delay * 2, LONGEST_WAIT_S);
      }
    }
    this.sending = false;
    if (this.empty) this.told.trouble(null);
  }

  #drop() {
    this.turns.shift();
    this.#write();
  }

  #read() {
    try {
      return JSON.parse(localStorage.getItem(this.storageName) ?? "[]");
    } catch {
      return [];
    }
  }

  #write() {
    try {
      if (this.empty) localStorage.removeItem(this.storageName);
      else localStorage.setItem(this.storageName, JSON.stringify(this.turns));
    } catch {
      // no room or no leave to keep anything: the turn is sent all the same, only a reload would lose it
    }
  }
}
