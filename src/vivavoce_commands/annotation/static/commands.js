// The template's argument names, the check while somebody types, and keys. Every button works without this.

import { postForm } from "./post.js";

const form = document.getElementById("command");
const action = document.getElementById("action");
const text = document.getElementById("annotation");
let due = null;
let asked = 0;

function name() {
  const places = (action.selectedOptions[0]?.dataset.places ?? "").split("|").filter(Boolean);
  document.querySelectorAll(".argument").forEach((line, number) => {
    line.hidden = number >= places.length;
    line.querySelector("[data-place]").textContent = (places[number] ?? "").replace("?", "");
  });
  document.getElementById("arguments").dataset.named = String(places.length);
}

async function check() {
  const mine = ++asked;
  const answer = await postForm(form, { press: "check" });
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  const found = fresh.getElementById("checked");
  if (mine !== asked || !found) return; // something newer was asked
  document.getElementById("checked").replaceChildren(...found.childNodes);
  const invalid = fresh.getElementById("annotation").getAttribute("aria-invalid");
  invalid ? text.setAttribute("aria-invalid", invalid) : text.removeAttribute("aria-invalid");
}

function keys(event) {
  if (event.ctrlKey || event.metaKey || event.repeat || event.isComposing) return;
  const where = document.activeElement;
  const typing = where?.matches("input:not([type=checkbox]), textarea");
  if (event.key === "Enter" && where?.matches("select, textarea, input")) {
    event.preventDefault();
    form.requestSubmit(document.getElementById(action.value ? "add" : "save"));
    return;
  }
  if (typing && !event.altKey) return;
  const button = document.querySelector(`:is(#checked, #draft) [data-key="${CSS.escape(event.key)}"]`);
  if (!button) return;
  event.preventDefault();
  button.click();
}

if (form) {
  name();
  action.addEventListener("change", name);
  const checkSoon = () => {
    clearTimeout(due);
    due = setTimeout(() => check().catch(() => {}), 250);
  };
  text.addEventListener("input", checkSoon);
  if (text.value !== text.defaultValue) checkSoon(); // written before this script was there
  document.addEventListener("keydown", keys);
  const column = Number(text.dataset.column);
  if (document.activeElement !== document.body || form.querySelector("[autofocus]")) {
    // somebody is writing already, or the page says itself where to go on
  } else if (column) {
    text.focus();
    text.setSelectionRange(column - 1, column - 1);
  } else action.focus();
}
document.querySelector(".turn.here")?.scrollIntoView({ block: "nearest" });
