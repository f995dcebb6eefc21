// Keys for reading many dialogues; each presses or focuses something that is on the page.

const OFF = "vivavoce-keys-off";
const off = () => localStorage.getItem(OFF) === "1";

const links = [...document.querySelectorAll(".found tbody th a")];
const typing = (where) => where?.matches("input:not([type=checkbox]), textarea, select");

function move(by) {
  const row = document.activeElement?.closest(".found tbody tr");
  const place = row ? links.findIndex((link) => row.contains(link)) + by : by > 0 ? 0 : links.length - 1;
  links[place]?.focus();
  links[place]?.closest("tr").scrollIntoView({ block: "nearest" });
}

// Whoever comes back to the list by the key or the link stands at the dialogue they come from.
const LAST = "vivavoce-last-dialogue";
const back = document.querySelector("a[data-key=list]");
back?.addEventListener("click", () => {
  const own = location.pathname.replace(/\/dialogues\/.*/, "");
  sessionStorage.setItem(LAST, back.dataset.from ? own + back.dataset.from : location.pathname);
});
// Whoever opens a dialogue hears its name first, and goes on from there.
if (back && !location.hash) document.querySelector("h1")?.focus({ preventScroll: true });
if (links.length) {
  const from = links.find((link) => new URL(String(link.getAttribute("href")), location.href).pathname === sessionStorage.getItem(LAST));
  sessionStorage.removeItem(LAST);
  from?.focus();
  from?.closest("tr").scrollIntoView({ block: "center" });
}

function boxOfRow() {
  return document.activeElement?.closest(".found tbody tr")?.querySelector("input[type=checkbox]");
}

function tag() {
  const folded = document.querySelector(".bulk-of");
  if (folded) folded.open = true;
  const box = boxOfRow();
  if (box && !document.querySelector(".found input[type=checkbox]:checked")) box.checked = true;
  document.getElementById("tag")?.focus();
}

const keys = {
  j: () => (links.length ? move(1) : document.querySelector("a[data-key=next]")?.click()),
  k: () => (links.length ? move(-1) : document.querySelector("a[data-key=previous]")?.click()),
  x: () => boxOfRow()?.click(),
  t: tag,
  n: () => document.getElementById("note")?.focus(),
  u: () => document.querySelector("a[data-key=list]")?.click(),
  "/": () => document.getElementById("q")?.focus(),
  "?": () => document.querySelector("a.keys")?.click(),
};

document.addEventListener("keydown", (event) => {
  const where = document.activeElement;
  if (event.key === "Escape" && typing(where)) where.blur();
  if (event.key === "Enter" && where?.matches(".found tbody input[type=checkbox]")) {
    event.preventDefault();  // a form would be sent
    if (!off()) where.closest("tr").querySelector("th a").click();
    return;
  }
  if (off() || event.ctrlKey || event.metaKey || event.altKey || typing(where)) return;
  const arrows = { ArrowDown: 1, ArrowUp: -1 };
  const act = event.key in arrows && where?.closest(".found tbody") ? () => move(arrows[event.key]) : keys[event.key];
  if (!act) return;
  event.preventDefault();
  act();
});

const narrow = document.getElementById("facets");
if (narrow && matchMedia("(max-width: 61.99rem)").matches) narrow.open = false;

const button = document.getElementById("keys-switch");
if (button) {
  const tell = () => (button.textContent = off() ? button.dataset.on : button.dataset.off);
  button.hidden = false;
  tell();
  button.addEventListener("click", () => {
    localStorage.setItem(OFF, off() ? "0" : "1");
    tell();
  });
}
