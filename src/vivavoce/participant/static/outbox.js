// Turns on their way to the server: each has a key, stays in localStorage until it is acknowledged, and is
// sent again for ever. The server takes a key only once, so sending again can never double a turn.

import "./storage.js";
import { postUntilTaken } from "./post.js";

export class Outbox {
  /**
   * @param {string} url
   * @param {string} storageName
   * @param {string} tab
   * @param {{acknowledged(turn: any, ack: any): void, refused(turn: any, reason: string): void,
   *   trouble(reason: string | null): void}} told
   */
  constructor(url, storageName, tab, told) {
    this.url = url;
    this.storageName = storageName;
    this.tab = tab;
    this.told = told;
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
    while (!this.stopped && this.turns.length > 0) {
      const turn = this.turns[0];
      const { ok, body, error } = await postUntilTaken(
        this.url,
        { ...turn, tab: this.tab },
        { tell: (why) => this.told.trouble(why), going: () => !this.stopped },
      );
      if (this.stopped) break;
      if (error !== "superseded") this.#drop();
      if (this.empty) this.told.trouble(null);
      if (ok) this.told.acknowledged(turn, body);
      else this.told.refused(turn, error);
      if (error === "superseded") break;
    }
    this.sending = false;
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
