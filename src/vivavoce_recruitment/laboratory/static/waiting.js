// Goes on by itself when the supervisor lets somebody in who waits.

const shown = document.getElementById("waiting");

async function look() {
  try {
    const answer = await fetch(shown.dataset.asks, { headers: { accept: "application/json" } });
    if (answer.ok && (await answer.json()).standing !== shown.dataset.standing) location.replace(shown.dataset.page);
  } catch {
    // no connection at the moment: asked again
  }
}

if (shown) setInterval(look, 3000);
