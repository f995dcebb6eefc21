// Keeps numbers fresh, waits for results, copies links. Every page works without it.

const policy = window.trustedTypes?.createPolicy("desk", { createHTML: (text) => text });

function parse(html) {
  return new DOMParser().parseFromString(policy ? policy.createHTML(html) : html, "text/html");
}

// Whoever is on the way to another page is not called back to this one; a link that gives a file leaves nothing.
const LEAVES_WITHIN_MS = 60000;
let leftAt = -Infinity;
addEventListener("beforeunload", () => (leftAt = performance.now()));
const leaving = () => performance.now() - leftAt < LEAVES_WITHIN_MS;

// At small widths a row of a table is a card: each cell says its column, and roles keep the table one for who hears it.
const LONG_HEAD = 32; // characters; such a cell has a line of the card to itself
const ROLES = { THEAD: "rowgroup", TBODY: "rowgroup", TFOOT: "rowgroup", TR: "row", TD: "cell" };

function stack(root) {
  for (const table of root.querySelectorAll("table")) {
    const heads = [...(table.tHead?.rows[0]?.cells ?? [])].map((head) => {
      const words = /** @type {HTMLElement} */ (head.cloneNode(true));
      for (const sign of words.querySelectorAll("[aria-hidden]")) sign.remove();
      for (const line of words.querySelectorAll("br")) line.replaceWith(", ");
      return (words.textContent ?? "").replace(/\s+/g, " ").replace(/ ,/g, ",").trim();
    });
    if (!heads.length) continue;
    table.classList.add("stacks");
    table.setAttribute("role", "table");
    for (const part of table.querySelectorAll("thead, tbody, tfoot, tr, td")) part.setAttribute("role", ROLES[part.tagName]);
    for (const head of table.querySelectorAll("th")) head.setAttribute("role", head.scope === "col" ? "columnheader" : "rowheader");
    for (const row of table.querySelectorAll(":is(tbody, tfoot) tr")) {
      const { cells } = /** @type {HTMLTableRowElement} */ (row);
      let column = 0;
      for (const cell of cells) {
        if (cells.length > 1 && heads[column] && cell.dataset.head === undefined) cell.dataset.head = heads[column];
        if (cells.length === 1 || heads[column]?.length > LONG_HEAD) cell.classList.add("whole");
        column += cell.colSpan;
      }
    }
  }
}
stack(document);

// The menu of a small width closes as menus do.
const menu = document.querySelector("details.menu");
menu?.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || !menu.open) return;
  menu.open = false;
  menu.querySelector("summary")?.focus();
});

function inUse(part) {
  const selection = document.getSelection();
  return (
    part.contains(document.activeElement) ||
    (selection && !selection.isCollapsed && part.contains(selection.anchorNode))
  );
}

async function refresh(part, status) {
  if (document.hidden || leaving() || inUse(part)) return;
  try {
    const answer = await fetch(part.dataset.fresh, { headers: { Accept: "text/html" }, redirect: "manual" });
    if (leaving()) return;
    if (answer.type === "opaqueredirect" || answer.status === 401) {
      location.reload();
      return;
    }
    if (!answer.ok) throw new Error(String(answer.status));
    if (answer.headers.get("Vivavoce-Scope") !== document.documentElement.dataset.scope) {
      location.reload(); // people have come: the page shows them from now on
      return;
    }
    const fresh = parse(await answer.text()).body;
    stack(fresh);
    if (!inUse(part)) part.replaceChildren(...fresh.children);
    status.textContent = "";
  } catch {
    status.textContent = status.dataset.unreached;
  }
}

for (const part of document.querySelectorAll("[data-fresh]")) {
  const status = document.querySelector("#fresh-status");
  setInterval(() => refresh(part, status), Number(part.dataset.every) * 1000);
}

const waiting = document.querySelector("[data-waits]");
if (waiting) {
  const offered = waiting.querySelector("a[hidden]"); // where going on by itself would lose what was ticked
  const look = setInterval(async () => {
    try {
      const answer = await fetch(waiting.dataset.waits, { headers: { Accept: "application/json" } });
      if (answer.ok && !(await answer.json()).computing && !leaving()) {
        clearInterval(look);
        if (offered) offered.hidden = false;
        else location.replace(waiting.dataset.then);
      }
    } catch {
      // the next look may get through
    }
  }, 1000);
}

for (const button of document.querySelectorAll("[data-copies]")) {
  button.hidden = !navigator.clipboard;
  button.addEventListener("click", async () => {
    const link = document.getElementById(button.dataset.copies);
    await navigator.clipboard.writeText(link.textContent.trim());
    button.textContent = button.dataset.copied;
  });
}

function counted(place, since) {
  const whole = Math.round((performance.now() - since) / 1000);
  place.textContent = whole + "\u202fs";
}

// A file that takes a while is made aside; the page counts the seconds and fetches it when it is there.
async function fetchMade(link, tell) {
  const asked = link.dataset.more.replace("&", "?");
  const begun = await fetch(`${link.dataset.begins}/begin${asked}`, { method: "POST", body: new URLSearchParams({ form_token: link.dataset.token }) });
  if (!begun.ok) throw new Error(await begun.text());
  const { key } = await begun.json();
  for (let made = { computing: true, problem: "" }; made.computing; ) {
    await new Promise((go) => setTimeout(go, 1000));
    tell();
    const answer = await fetch(`${link.dataset.begins}/state?key=${key}`);
    if (!answer.ok) throw new Error(await answer.text());
    made = await answer.json();
    if (made.problem) throw new Error(made.problem);
  }
  location.assign(`${link.dataset.begins}?key=${key}${link.dataset.more}`);
}

for (const link of document.querySelectorAll("a[data-makes]")) {
  const [status, seconds] = link.nextElementSibling?.children ?? [];
  link.addEventListener("click", async (event) => {
    if (!status) return;
    status.textContent = link.dataset.makes;
    if (!link.dataset.begins) return;
    event.preventDefault();
    if (link.getAttribute("aria-disabled")) return;
    link.setAttribute("aria-disabled", "true");
    const since = performance.now();
    try {
      await fetchMade(link, () => counted(seconds, since));
      status.textContent = link.dataset.done;
    } catch (error) {
      status.textContent = error instanceof Error && !(error instanceof TypeError) ? error.message : link.dataset.failed;
    }
    link.removeAttribute("aria-disabled");
  });
}

for (const form of document.querySelectorAll("form[data-asks]")) {
  form.addEventListener("submit", (event) => {
    if (!window.confirm(form.dataset.asks)) event.preventDefault();
  });
}
