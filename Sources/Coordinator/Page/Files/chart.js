// Charts over time as SVG, with their numbers as text beside them.
import { h, svg, write } from "./dom.js";
import { path, roundUp, stacked } from "./scale.js";
import { clock } from "./text.js";

const largest = (rows) => Math.max(0, ...rows.flat());
const box = (...parts) => svg("svg", { role: "img", preserveAspectRatio: "none" }, parts);

/** What a row of values shows, in words. Pure. */
export function sentence(name, values, text) {
  const known = values.filter((value) => value !== null);
  return `${name}: ` + (known.length ? `now ${text(known.at(-1))}, lowest ${text(Math.min(...known))}, highest ${text(Math.max(...known))}` : "no values yet");
}

/** A line without axes. @returns `{node, show(values)}` */
export function spark(name, text) {
  const area = svg("path", { class: "area" }), line = svg("path", { class: "line" }), node = box(area, line);
  return { node, show(values) {
    const top = largest([values]) || 1;
    node.setAttribute("viewBox", `0 -4 ${values.length - 1} 106`);
    node.setAttribute("aria-label", sentence(name, values, text));
    area.setAttribute("d", path(values, top, []));
    line.setAttribute("d", path(values, top));
  } };
}

/** Areas on top of each other, and lines over them. The pointer or the arrow keys choose a time, whose numbers the legend shows.
 * @param rows `{name, color, isLine}`; the style sheet has the colors. @returns `{node, show(values, end, step)}` */
export function chart(name, rows, text) {
  const paths = rows.map(({ color, isLine }) => svg("path", { class: (isLine ? "line " : "area ") + color })), hair = svg("path", { class: "hair" });
  const when = h("span"), numbers = rows.map(() => h("b")), levels = [1, 0.5, 0].map(() => h("span")), axis = h("div.axis");
  const node = box({ tabindex: 0 }, svg("path", { class: "grid", d: "M0 0H9999M0 50H9999M0 100H9999" }), paths, hair);
  let values = [[]], end = 0, step = 1, chosen = null;
  const last = () => values[0].length - 1;

  const choose = (at) => {
    chosen = at === null ? null : Math.min(last(), Math.max(0, at));
    hair.setAttribute("d", chosen === null ? "" : `M${chosen} 0V100`);
    numbers.forEach((number, row) => write(number, text(values[row]?.[chosen ?? last()] ?? NaN)));
    write(when, chosen === null ? "now" : clock(end - (last() - chosen) * step));
  };
  node.addEventListener("pointermove", (event) => choose(Math.round((event.offsetX / node.clientWidth) * last())));
  for (const event of ["pointerleave", "blur"]) node.addEventListener(event, () => choose(null));
  node.addEventListener("keydown", ({ key }) => key.match(/Arrow(Left|Right)/) && choose((chosen ?? last()) + (key === "ArrowLeft" ? -1 : 1)));

  const legend = h("ul.legend", rows.map((row, at) => h("li", h("i", { className: row.color }), row.name, " ", numbers[at])), h("li", when));
  return { node: h("figure.chart", h("div.levels", levels), node, axis, legend), show(...news) {
    [values, end, step] = news;
    const edges = stacked(values.filter((_, at) => !rows[at].isLine)), lines = values.filter((_, at) => rows[at].isLine);
    const top = roundUp(largest([edges.at(-1), ...lines]));
    node.setAttribute("viewBox", `0 0 ${last()} 100`);
    node.setAttribute("aria-label", `${name}. ${rows.map((row, at) => sentence(row.name, values[at], text)).join(". ")}.`);
    // The lines are the last rows.
    paths.forEach((one, at) => one.setAttribute("d", edges[at] ? path(edges[at], top, edges[at - 1] ?? []) : path(values[at], top)));
    levels.forEach((level, at) => write(level, text(top * (1 - at / 2))));
    axis.replaceChildren(...[4, 3, 2, 1, 0].map((part) => h("span", clock(end - (part / 4) * last() * step).slice(0, 5))));
    choose(chosen);
  } };
}
