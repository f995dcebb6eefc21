// Keeps a half-filled form in the browser, so that a reload or a lost connection costs nothing.

import "./storage.js";

const form = document.querySelector("form[data-draft]");
const name = `vivavoce-draft:${form.dataset.draft}`;

function fields() {
  const typed = (field) => field.name && !["hidden", "submit"].includes(field.type);
  return [...form.elements].filter((field) => field.name.startsWith("item-") || typed(field));
}

function restore() {
  const draft = JSON.parse(localStorage.getItem(name) ?? "{}");
  const chosen = new Set(fields().filter((one) => one.checked !== one.defaultChecked).map((one) => one.name));
  for (const field of fields()) {
    if (!(field.name in draft) || chosen.has(field.name)) continue; // chosen before this script came
    if (field.type === "radio") field.checked = field.value === draft[field.name];
    else if (field.type === "checkbox") field.checked = draft[field.name];
    else if (field.value === field.defaultValue) field.value = draft[field.name]; // as the service sent it
  }
}

function store() {
  const draft = {};
  for (const field of fields()) {
    if (field.type === "checkbox") draft[field.name] = field.checked;
    else if (field.type !== "radio" || field.checked) draft[field.name] = field.value;
  }
  localStorage.setItem(name, JSON.stringify(draft));
}

try {
  restore();
  store(); // what was typed before this script came
} catch {
  localStorage.removeItem(name);
}
form.addEventListener("input", store);
