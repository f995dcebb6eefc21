// Shows how far the call has come that the participant asked for. The number stays in this tab, for another try.

const state = document.getElementById("call-state");
const form = document.getElementById("call-form");
const number = document.getElementById("callee");
const button = document.getElementById("call-me");
const KEPT = "vivavoce-callee";
const PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 8000;
const active = (status) => ["calling", "ringing", "talking"].includes(status);
let shown = state.textContent;
let pause = PAUSE_MS;

const say = (name) => {
  const words = document.querySelector(`[data-word="${name}"]`)?.textContent ?? "";
  if (words === shown) return; // a status that is said twice would be read out twice
  shown = state.textContent = words;
  state.classList.remove("problem");
};

async function look() {
  let going = true;
  try {
    const answer = await fetch(`${state.dataset.base}/telephone/call`, { cache: "no-store" });
    if (answer.ok) {
      const call = await answer.json();
      if (!["chat", "code"].includes(call.phase)) {
        location.reload();
        return;
      }
      going = active(call.status);
      button.disabled = going;
      say(call.status === "over" && call.outcome ? call.outcome : call.status);
      pause = PAUSE_MS;
    }
  } catch {
    pause = Math.min(2 * pause, LONGEST_PAUSE_MS); // no connection: keep trying
  }
  if (going) setTimeout(look, pause);
}

number.value ||= sessionStorage.getItem(KEPT) ?? "";
form.addEventListener("submit", () => sessionStorage.setItem(KEPT, number.value));
if (state.dataset.active) look();
