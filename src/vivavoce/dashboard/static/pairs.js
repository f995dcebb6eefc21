// Marks the difference of two transcripts while they are being typed.

const policy = window.trustedTypes?.createPolicy("pairs", { createHTML: (text) => text });
const form = document.getElementById("pair");
const part = document.getElementById("difference");
let waiting = null;
let latest = 0;

async function refresh() {
  const number = ++latest;
  try {
    const body = new URLSearchParams(/** @type {any} */ (new FormData(/** @type {any} */ (form))));
    const answer = await fetch("/pairs/difference", { method: "POST", body, headers: { Accept: "text/html" } });
    if (!answer.ok || number !== latest) return;
    const html = await answer.text();
    const open = part.querySelector("details")?.open;
    const fresh = new DOMParser().parseFromString(policy ? policy.createHTML(html) : html, "text/html").body;
    part.replaceChildren(...fresh.childNodes);
    const details = part.querySelector("details");
    if (details && open) details.open = true;
  } catch {
    // the button still works
  }
}

form.addEventListener("input", () => {
  clearTimeout(waiting);
  waiting = setTimeout(refresh, 250);
});
