// A line that one can mark anywhere. It has no answer until it is touched: what is sent stands in a hidden field.

for (const line of document.querySelectorAll(".line")) {
  const range = line.querySelector("input[type=range]");
  const answer = line.querySelector("input[type=hidden]");
  const points = [...line.querySelectorAll(".points li")];

  const away = (point) => Math.abs(Number(point.dataset.code) - Number(range.value));

  const nearest = () =>
    points.reduce((best, point) =>
      away(point) < away(best) ? point : best,
    );

  const show = () => {
    range.classList.toggle("unset", !answer.value);
    for (const point of points) point.classList.toggle("near", Boolean(answer.value) && point === nearest());
    if (answer.value) range.setAttribute("aria-valuetext", `${nearest().textContent} (${range.value})`);
  };

  const mark = () => {
    answer.value = range.value;
    show();
    range.form.dispatchEvent(new Event("input"));
  };

  if (answer.value) range.value = answer.value;
  range.addEventListener("input", mark);
  range.addEventListener("change", mark);
  range.addEventListener("click", mark);
  range.addEventListener("keydown", (event) => event.key === " " && (event.preventDefault(), mark()));
  show();
}
