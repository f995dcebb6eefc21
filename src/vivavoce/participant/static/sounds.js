// Answers open once every sound was heard to its end; nobody can jump ahead. The service looks at the time as well.

import "./storage.js";

const sounds = [...document.querySelectorAll("audio[data-whole]")];
const form = document.querySelector("form[data-draft]");
const closed = [...form.querySelectorAll("fieldset[data-heard], button.primary")];
const plays = form.querySelector("input[name='plays']");
const name = `vivavoce-heard:${form.dataset.draft}`; // what was heard stays heard over a reload
const before = JSON.parse(sessionStorage.getItem(name) ?? "[]");
const heard = new Map(sounds.map((sound, place) => [sound, { times: before[place] ?? 0 }]));
let sent = false;

// How far a sound was heard from its beginning: the player counts this, also while the page is too busy to be told.
function heardTo({ played }) {
  let to = 0;
  for (let i = 0; i < played.length; i++) if (played.start(i) <= to + 1) to = Math.max(to, played.end(i));
  return to;
}

function settle() {
  const times = [...heard.values()].map((one) => one.times);
  sessionStorage.setItem(name, JSON.stringify(times));
  plays.value = String(times.reduce((sum, one) => sum + one, 0));
  for (const part of closed) part.disabled = times.includes(0);
}

for (const [sound, own] of heard) {
  sound.addEventListener("seeking", () => {
    const to = heardTo(sound);
    if (!own.times && sound.currentTime > to + 0.2) sound.currentTime = to;
  });
  sound.addEventListener("ratechange", () => {
    if (sound.playbackRate !== 1) sound.playbackRate = 1;
  });
  sound.addEventListener("play", () => {
    for (const other of sounds) if (other !== sound) other.pause();
  });
  sound.addEventListener("ended", () => {
    if (heardTo(sound) < sound.duration - 1) return;
    own.times += 1;
    settle();
  });
}

form.addEventListener("submit", (event) => {
  if (sent) event.preventDefault(); // a second press while the first is under way
  sent = true;
});

addEventListener("pageshow", () => {
  sent = false; // the page came back from the browser's history
});

settle();
