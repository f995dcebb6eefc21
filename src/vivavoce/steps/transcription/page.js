// Keys for writing recordings down: Escape plays again, Enter sends. The form works without.

const recording = document.getElementById("recording");
const text = document.getElementById("text");

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  event.preventDefault();
  recording.currentTime = 0;
  recording.play().catch(() => {});
});

text.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.repeat) return;
  event.preventDefault();
  if (text.value.trim()) document.querySelector("button.primary").click();
});

recording.play().catch(() => {}); // browsers may want a gesture first
