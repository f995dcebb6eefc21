// What every page needs: nothing is sent twice by a double click, and no page is shown from the past.

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

const page = document.body.dataset.page;
const form = document.querySelector("form[data-draft]");
const keep = form ? `vivavoce-draft:${form.dataset.draft}` : null;
if (page !== "message" && page !== "leave") {
  for (const name of Object.keys(localStorage)) {
    if (name.startsWith("vivavoce-draft:") && name !== keep) localStorage.removeItem(name);
  }
}
