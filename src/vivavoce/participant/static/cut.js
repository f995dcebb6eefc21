// Shows where commands begin and end, plays them, and keeps moved borders over a reload. The form works without.

import "./storage.js";

const form = document.getElementById("cuts");
const whole = document.getElementById("whole");
const marks = document.getElementById("marks");
const { name } = form.dataset;
const duration = Number(form.dataset.duration);
const shown = new Intl.NumberFormat(document.documentElement.lang, {
  style: "unit",
  unit: "second",
  unitDisplay: "narrow",
  minimumFractionDigits: 2,
});
let until = Infinity;

const cuts = [...form.querySelectorAll(".cut")].map((field) => ({
  field,
  onset: field.querySelector("[name^=onset]"),
  offset: field.querySelector("[name^=offset]"),
  absent: field.querySelector("[name^=absent]"),
}));

function draw() {
  marks.replaceChildren();
  for (const { field, onset, offset, absent } of cuts) {
    field.classList.toggle("absent", absent.checked);
    for (const border of [onset, offset]) {
      const words = shown.format(Number(border.value));
      border.setAttribute("aria-valuetext", words);
      border.disabled = absent.checked;
      border.previousElementSibling.querySelector("output").textContent = words;
    }
    if (absent.checked) continue;
    const mark = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    const facts = { x: (1000 * Number(onset.value)) / duration, y: 0, height: 100, width: 0 };
    facts.width = Math.max(0, (1000 * (Number(offset.value) - Number(onset.value))) / duration);
    for (const [key, value] of Object.entries(facts)) mark.setAttribute(key, String(value));
    marks.append(mark);
  }
}

function store() {
  const kept = cuts.map(({ onset, offset, absent }) => [onset.value, offset.value, absent.checked]);
  localStorage.setItem(name, JSON.stringify(kept));
}

function restore() {
  const kept = JSON.parse(localStorage.getItem(name) ?? "[]");
  kept.forEach(([onset, offset, absent], place) => {
    cuts[place].onset.value = onset;
    cuts[place].offset.value = offset;
    cuts[place].absent.checked = absent;
  });
}

for (const { field, onset, offset } of cuts) {
  field.querySelector(".play").addEventListener("click", () => {
    until = Number(offset.value);
    whole.currentTime = Number(onset.value);
    whole.play().catch(() => {});
  });
}
whole.addEventListener("timeupdate", () => whole.currentTime >= until && whole.pause());
form.addEventListener("input", () => {
  draw();
  store();
});
form.addEventListener("submit", () => localStorage.removeItem(name));

try {
  restore();
} catch {
  localStorage.removeItem(name);
}
draw();
