// Steps of the visit by dragging. The buttons on each card do the same without a script.

const cards = document.querySelectorAll("#arrangement .card");
/** @type {Element | null} */
let held = null;

for (const card of cards) {
  card.draggable = true;
  card.addEventListener("dragstart", (event) => {
    held = card;
    event.dataTransfer?.setData("text/plain", card.dataset.number ?? "");
  });
  card.addEventListener("dragover", (event) => {
    if (!held || held === card) return;
    event.preventDefault();
    const box = card.getBoundingClientRect();
    const below = event.clientY > box.top + box.height / 2;
    card.parentNode?.insertBefore(held, below ? card.nextSibling : card);
  });
  card.addEventListener("drop", (event) => event.preventDefault());
  card.addEventListener("dragend", () => {
    held = null;
    const now = [...document.querySelectorAll("#arrangement .card")];
    const order = now.map((one) => one.dataset.number);
    const field = document.querySelector("#arrangement [name=order]");
    if (!field || order.every((number, place) => Number(number) === place)) return;
    field.value = order.join(",");
    field.form?.submit();
  });
}
