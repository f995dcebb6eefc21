// Answers open once every clip was heard to its end; nobody can jump ahead. The server checks the time as well.

const clips = [...document.querySelectorAll("audio")];
const answers = document.getElementById("answers");
const send = document.getElementById("send");
const plays = document.getElementById("plays");
const heard = new Map(clips.map((clip) => [clip, { until: 0, whole: false }]));
let sent = false;

function settle() {
  const open = [...heard.values()].every((one) => one.whole);
  answers.disabled = send.disabled = !open;
}

for (const clip of clips) {
  const own = heard.get(clip);
  clip.addEventListener("timeupdate", () => {
    if (!clip.seeking && clip.currentTime <= own.until + 1) own.until = Math.max(own.until, clip.currentTime);
  });
  clip.addEventListener("seeking", () => {
    if (!own.whole && clip.currentTime > own.until + 0.2) clip.currentTime = own.until;
  });
  clip.addEventListener("ratechange", () => {
    if (clip.playbackRate !== 1) clip.playbackRate = 1;
  });
  clip.addEventListener("play", () => {
    for (const other of clips) if (other !== clip) other.pause();
  });
  clip.addEventListener("ended", () => {
    if (own.until < clip.duration - 1) return;
    own.whole = true;
    plays.value = String(Number(plays.value) + 1);
    settle();
  });
}

answers.form.addEventListener("submit", (event) => {
  if (sent) event.preventDefault(); // a second press while the first is under way
  sent = true;
});

settle();
