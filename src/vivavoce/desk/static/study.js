// Steps of the visit by dragging. The buttons on each card do the same without a script.

const form = document.querySelector("#arrangement");
const cards = form?.querySelector(".cards");
let held = null;

for (const card of cards?.children ?? []) {
  card.draggable = true;
  card.addEventListener("dragstart", (event) => {
    held = card;
    event.dataTransfer.effectAllowed = "move";
    event.dataTransfer.setData("text/plain", card.dataset.number);
  });
  card.addEventListener("dragover", (event) => {
    if (!held || held === card) return;
    event.preventDefault();
    const box = card.getBoundingClientRect();
    const below = event.clientY > box.top + box.height / 2;
    card.parentNode.insertBefore(held, below ? card.nextSibling : card);
  });
  card.addEventListener("drop", (event) => event.preventDefault());
  card.addEventListener("dragend", () => {
    held = null;
    const order = [...cards.children].map((one) => one.dataset.number);
    if (order.every((number, place) => Number(number) === place)) return;
    form.elements.order.value = order.join(",");
    form.submit();
  });
}
