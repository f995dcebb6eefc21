// In another site's frame a browser may deny a page its storage: reading it is an error there. Then what a page
// keeps lasts as long as the page. Scripts that keep something import this before they do.

class PageMemory {
  #kept = new Map();

  getItem(name) {
    return this.#kept.get(name) ?? null;
  }

  setItem(name, value) {
    this.#kept.set(name, String(value));
  }

  removeItem(name) {
    this.#kept.delete(name);
  }
}

for (const name of /** @type {const} */ (["localStorage", "sessionStorage"])) {
  try {
    window[name].getItem("");
  } catch {
    Object.defineProperty(window, name, { value: new PageMemory() });
  }
}
