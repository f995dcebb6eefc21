// Waits for both answers and shows them together.

const waiting = document.getElementById("waiting");
const base = waiting.dataset.base;
let seq = Number(waiting.dataset.seq);
let pause = 500;

async function look() {
  try {
    const answer = await fetch(`${base}/arena/state?after=${seq}&wait=20`, { cache: "no-store" });
    if (answer.ok) {
      const news = await answer.json();
      pause = 500;
      seq = news.seq;
      if (!news.waiting) {
        location.replace(`${base}/visit#latest`);
        location.reload();
        return;
      }
    }
  } catch {
    pause = Math.min(2 * pause, 8000); // no connection: keep trying
  }
  setTimeout(look, pause);
}

look();
