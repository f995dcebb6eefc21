// Keys press the page's own buttons; every button works without this.

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  const where = document.activeElement;
  if (where?.matches("input:not([type=checkbox]), textarea, select")) return;
  if (event.key === "Enter" && where?.matches("a, button, summary")) return;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const button = [...document.querySelectorAll("#decide [data-key]")].find((one) => one.dataset.key === key);
  if (!button) return;
  event.preventDefault();
  button.click();
});

document.getElementById("asked")?.focus();
