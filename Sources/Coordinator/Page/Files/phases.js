// Phases of fetches: where the time of many went, and the way of one.
import { h } from "./dom.js";
import { phases } from "./history.js";
import { place } from "./scale.js";
import { table } from "./table.js";
import { seconds, words } from "./text.js";

const spot = (value) => 100 * place(value, 1e-4, 100);
const took = (value, { count }) => (count ? seconds(value) : "–");

function placed(mark, from, width) {
  mark.style.left = `${from}%`;
  mark.style.width = `${Math.max(0.6, width)}%`;
}

/** From p50 to p95 a bar, p99 a line, on a logarithmic scale from 0.1 ms to 100 s. @returns `{node, show(phases)}` */
export const spread = () => table("Phases of fetches", "name", "", [
  ["Phase", ({ name }) => words(name)],
  ["", "p50", { class: "track", make: () => h("span.spread", h("i"), h("u")), show(node, _, { count, p50, p95, p99 }) {
    node.hidden = !count;
    placed(node.firstChild, spot(p50), spot(p95) - spot(p50));
    placed(node.lastChild, spot(p99), 0);
  } }],
  ["p50", "p50", took], ["p95", "p95", took], ["p99", "p99", took],
]);

/** The phases of one result one after another: `{name, from, took}` in seconds. Pure. */
export function way(timings) {
  let from = 0;
  return phases.flatMap((name) => {
    const took = timings[name] ?? (name === "queue" && timings.queued);
    return took > 0 ? { name, took, from: (from += took) - took } : [];
  });
}

/** @param timings Seconds by phase, perhaps with `total`. */
export function waterfall(timings = {}) {
  const found = way(timings), last = found.at(-1);
  if (!last) return h("p.empty", "A cache answered: no phase took time.");
  const total = Math.max(timings.total ?? 0, last.from + last.took);
  return h("table.waterfall", h("caption.unseen", "Phases"), [...found, { name: "total", from: 0, took: total }].map(({ name, from, took }) => {
    const mark = h("i." + name);
    placed(mark, (100 * from) / total, (100 * took) / total);
    return h("tr", h("th", { scope: "row" }, words(name)), h("td.track", h("span.spread", mark)), h("td.number", seconds(took)));
  }));
}
