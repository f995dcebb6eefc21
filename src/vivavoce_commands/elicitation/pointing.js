// Pointing at a picture, by click, touch or keyboard, while one speaks or types. The form's field holds the places.

const picture = document.getElementById("pointing");
const field = document.getElementById("pointed");
const { most, told, none } = picture.dataset;
const undo = document.getElementById("unpoint");
const news = document.getElementById("pointed-news");

const places = () => field.value.split(" ").filter(Boolean);

function draw() {
  picture.querySelectorAll(".mark").forEach((mark) => mark.remove());
  places().forEach((place, number) => {
    const [x, y] = place.split(",");
    const mark = document.createElement("span");
    mark.className = "mark";
    mark.textContent = String(number + 1);
    mark.style.left = `${x}%`;
    mark.style.top = `${y}%`;
    picture.append(mark);
  });
  undo.hidden = !field.value;
  news.textContent = field.value ? told.replace("{n}", String(places().length)) : none;
}

function write(list) {
  field.value = list.join(" ");
  field.dispatchEvent(new Event("input", { bubbles: true })); // it is kept as what is typed is
  draw();
}

function point(x, y) {
  if (places().length < Number(most)) write([...places(), `${x.toFixed(1)},${y.toFixed(1)}`]);
}

picture.addEventListener("click", ({ clientX, clientY }) => {
  const { left, top, width, height } = picture.getBoundingClientRect();
  point((100 * (clientX - left)) / width, (100 * (clientY - top)) / height);
});
picture.addEventListener("keydown", (event) => {
  const thing = event.target;
  if (!(thing instanceof SVGRectElement) || !thing.matches("[data-thing]") || !["Enter", " "].includes(event.key)) return;
  event.preventDefault();
  const { x, y, width, height } = thing;
  point(x.baseVal.value + width.baseVal.value / 2, y.baseVal.value + height.baseVal.value / 2);
});
undo.addEventListener("click", () => write(places().slice(0, -1)));
draw();
