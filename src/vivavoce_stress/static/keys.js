// Single keys for reviewing variants and giving verdicts. The pages work without it.

const form = document.querySelector("form[data-keys]");
const field = document.querySelector("#text");
const on = document.querySelector("#keys-on");
const KEPT = "vivavoce-keys";

on.checked = localStorage.getItem(KEPT) !== "off";
on.addEventListener("change", () => localStorage.setItem(KEPT, on.checked ? "on" : "off"));

function press(key) {
  const found = document.querySelector(`main [data-key="${CSS.escape(key)}"]`);
  if (!found) return false;
  if (found instanceof HTMLAnchorElement) {
    found.click();
  } else if (found.type === "radio") {
    found.checked = true;
    found.focus();
  } else {
    form.requestSubmit(found);
  }
  return true;
}

function edit(text, decision) {
  field.value = text;
  field.dataset.decision = decision;
  field.focus();
}

document.addEventListener("keydown", (event) => {
  if (event.target === field) {
    if (event.key === "Escape") field.blur();
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      form.requestSubmit(form.querySelector(`[value="${field.dataset.decision || "write"}"]`));
    }
    return;
  }
  const typing = /** @type {HTMLElement} */ (event.target).matches("textarea, select, input:not([type=radio]):not([type=checkbox])");
  if (!on.checked || typing || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  const key = event.key.toLowerCase();
  if (form.dataset.keys === "review" && key === "e") {
    edit(form.querySelector("[name=proposal]:checked")?.dataset.text ?? "", "edit");
  } else if (form.dataset.keys === "review" && key === "w") {
    edit("", "write");
  } else if (!press(key)) {
    return;
  }
  event.preventDefault();
});
