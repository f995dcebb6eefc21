// What every page needs: nothing is sent twice by a double click, no page is shown from the past, Enter sends a
// message, a code is copied, what is to be told at a time is shown then.

import "./storage.js";

for (const form of document.querySelectorAll('form[method="post"]')) {
  form.addEventListener("submit", (event) => {
    if (event.defaultPrevented) return;
    if (form.dataset.sent) {
      event.preventDefault();
      return;
    }
    form.dataset.sent = "yes";
    setTimeout(() => delete form.dataset.sent, 8000);
  });
}

window.addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});

for (const area of document.querySelectorAll('textarea[enterkeyhint="send"]')) {
  area.addEventListener("keydown", (event) => {
    const composing = event.isComposing || event.keyCode === 229; // Safari ends the composition first
    if (event.key !== "Enter" || event.shiftKey || composing) return;
    event.preventDefault();
    if (area.value.trim() && !event.repeat) area.form.requestSubmit();
  });
}

for (const late of document.querySelectorAll("[data-shown-in-s][hidden]")) {
  const part = /** @type {HTMLElement} */ (late);
  const waits = 1000 * Number(part.dataset.shownInS);
  if (waits < 2 ** 31) setTimeout(() => (part.hidden = false), waits); // as far as a page can wait: 24 days
}

async function copy(from) {
  try {
    await navigator.clipboard.writeText((from.value ?? from.textContent).trim());
    return true;
  } catch {
    getSelection().selectAllChildren(from); // without https there is no clipboard
    return document.execCommand("copy");
  }
}

for (const button of document.querySelectorAll("button[data-copies]")) {
  const told = /** @type {HTMLElement} */ (button.nextElementSibling);
  button.hidden = false;
  button.addEventListener("click", async () => {
    told.textContent = "";
    const copied = await copy(document.getElementById(button.dataset.copies));
    setTimeout(() => (told.textContent = copied ? told.dataset.copied : told.dataset.failed), 50); // said anew each time
  });
}

const page = document.body.dataset.page;
const form = document.querySelector("form[data-draft]");
const keep = form ? `vivavoce-draft:${form.dataset.draft}` : null;
if (page !== "message" && page !== "leave") {
  for (const name of Object.keys(localStorage)) {
    if (name.startsWith("vivavoce-draft:") && name !== keep) localStorage.removeItem(name);
  }
}
