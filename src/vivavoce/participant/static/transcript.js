// Draws turns as the server does: what people wrote goes in as text, what systems wrote as the HTML that the service
// made of it, which holds no more than a page of its own would.

const NEAR_PX = 120;

function element(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

export function marked(html) {
  return new DOMParser().parseFromString(html, "text/html").body.childNodes;
}

export class Transcript {
  constructor(list, words, growing) {
    this.list = list;
    this.words = words;
    this.grown = growing;
  }

  byKey(key) {
    return key ? this.list.querySelector(`[data-key="${CSS.escape(key)}"]`) : null;
  }

  get userTurns() {
    return this.list.querySelectorAll(".turn.user").length;
  }

  /** The words of the last turn, where nothing but a failure came after them; "" otherwise. */
  get unanswered() {
    const turn = [...this.list.querySelectorAll(".turn.user")].at(-1);
    const failed = this.list.lastElementChild?.classList.contains("failure");
    return failed && turn && turn.dataset.unknown !== "yes" ? turn.querySelector("p").textContent : "";
  }

  has(seq) {
    return this.list.querySelector(`[data-seq="${seq}"]`) !== null;
  }

  /**
   * @param {{key?: string, text?: string, seq?: number}} turn
   * @param {boolean} [pending]
   */
  user({ key, text, seq }, pending = false) {
    const known = this.byKey(key);
    if (known) {
      if (seq) known.dataset.seq = seq;
      if (!pending) known.classList.remove("pending");
      return;
    }
    const turn = element("li", `turn user${pending ? " pending" : ""}`);
    turn.dataset.key = key;
    if (seq) turn.dataset.seq = seq;
    turn.append(element("span", "who", this.words.you), element("p", "", text || this.words.spoken));
    turn.dataset.unknown = text ? "" : "yes";
    this.#add(turn);
  }

  acknowledge(key, seq) {
    this.user({ key, seq });
  }

  remove(key) {
    this.byKey(key)?.remove();
  }

  // What a system that listens by itself says it heard takes the place of words that nobody knew.
  #heard(words) {
    const turn = [...this.list.querySelectorAll(".turn.user")].at(-1);
    if (words && turn?.dataset.unknown === "yes") turn.querySelector("p").textContent = words;
  }

  system({ seq, messages, heard, spoken, tools = [], documents = [] }) {
    if (this.has(seq)) return;
    this.#heard(heard);
    const turn = this.#begun();
    turn.dataset.seq = seq;
    if (spoken && !messages.some(({ text }) => text)) turn.append(element("p", "", this.words.spoken));
    for (const message of messages) {
      turn.append(...marked(message.html));
      for (const url of message.images) {
        const link = element("a", "", this.words.picture);
        Object.assign(link, { href: url, target: "_blank", rel: "noopener noreferrer nofollow" });
        const line = element("p");
        line.append(link);
        turn.append(line);
      }
    }
    turn.append(...this.#work(tools, documents));
    this.#add(turn);
  }

  // What an agent did for a turn, as far as its step shows it, drawn as in parts.html.
  #work(tools, documents) {
    const made = [];
    const folded = (summary, lines) => {
      const details = element("details", "work");
      details.append(element("summary", "", summary), ...lines);
      made.push(details);
    };
    const bold = (name, after) => {
      const line = element("p");
      line.append(element("b", "", name), after);
      return line;
    };
    const used = this.words.used?.replace("{tools}", () => tools.map(({ name }) => name).join(", "));
    if (tools.some(({ parts }) => parts.length > 0)) {
      const lines = tools.flatMap((one) => [
        bold(one.name, one.failed ? ` ${this.words.toolFailed}` : ""),
        ...one.parts.map((part) => element("pre", "", part)),
      ]);
      folded(used, lines);
    } else if (tools.length > 0) made.push(element("p", "work", used));
    if (documents.length > 0) {
      const lines = documents.flatMap(({ source, text }) => [
        ...(source ? [bold(source, "")] : []),
        ...(text ? [element("p", "", text)] : []),
      ]);
      folded(this.words.lookedUp.replace("{number}", String(documents.length)), lines);
    }
    return made;
  }

  #begun() {
    const turn = element("li", "turn system");
    turn.append(element("span", "who", this.words.program));
    return turn;
  }

  failure({ seq, html = "" }) {
    if (this.has(seq)) return;
    const note = element("li", "failure", html ? this.words.broken : this.words.failure);
    note.dataset.seq = seq;
    if (!html) return this.#add(note);
    const turn = this.#begun();
    turn.append(...marked(html));
    this.#add(turn, note);
  }

  /**
   * Shows an answer that is not whole yet, "": there is none. It stands outside of what is read out, which hears it
   * once, when it is whole; and the page goes along with it only for who is at its end, and lets pages move.
   * @param {string} html
   */
  grow(html) {
    if (html ? html === this.grown.dataset.shown : this.grown.hidden) return;
    const along = html && this.#atEnd() && !matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.grown.dataset.shown = html;
    this.grown.hidden = !html;
    this.grown.replaceChildren(this.grown.firstElementChild, ...marked(html));
    if (along) this.toEnd();
  }

  #atEnd() {
    return document.documentElement.scrollHeight - window.innerHeight - window.scrollY < NEAR_PX;
  }

  toEnd() {
    if (this.userTurns === 0) return; // the task is still being read
    window.scrollTo(0, document.documentElement.scrollHeight); // the composer would cover the last turn
  }

  // Whoever still reads what has grown is not taken away from it.
  #add(...items) {
    const reading = !this.grown.hidden && !this.#atEnd();
    this.grow("");
    this.list.append(...items);
    if (!reading) this.toEnd();
  }
}
