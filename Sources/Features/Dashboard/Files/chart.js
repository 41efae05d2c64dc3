// Charts over time and of phases, with their numbers as text beside them.
import { facts, h, svg, write } from "./dom.js";
import { path, phases, place, roundUp, stacked } from "./series.js";
import { table } from "./table.js";
import { clock, seconds, words } from "./text.js";

const largest = (rows) => Math.max(0, ...rows.flat());
const box = (...parts) => svg("svg", { role: "img", preserveAspectRatio: "none" }, parts);
const set = (node, attributes) => Object.entries(attributes).forEach(([name, value]) => node.setAttribute(name, value));

function colored(node, at) {
  node.style.setProperty("--color", `var(--s${at})`);
  return node;
}

/** Says in words how a row of values stands. Pure. */
export function sentence(name, values, text) {
  const known = values.filter((value) => value !== null);
  return `${name}: ` + (known.length ? `now ${text(known.at(-1))}, highest ${text(Math.max(...known))}` : "no values");
}

/** A line without axes. @returns `{node, show(values)}` */
export function spark(name, text) {
  const area = svg("path", { class: "area" }), line = svg("path", { class: "line" }), node = box(area, line);
  return { node, show(values) {
    const top = largest([values]) || 1;
    set(node, { viewBox: `0 -4 ${values.length - 1} 106`, "aria-label": sentence(name, values, text) });
    set(area, { d: path(values, top, []) });
    set(line, { d: path(values, top) });
  } };
}

/** Areas on top of each other and, from the last row, a line. The pointer or a slider chooses a time, whose numbers the legend shows.
 * @param names Of the rows, with the colors --s0, --s1, … @returns `{node, show(values, end, step)}` */
export function chart(name, names, text) {
  const paths = names.map((_, at) => colored(svg("path", { class: names[at + 1] ? "area" : "line" }), at)), hair = svg("path", { class: "hair" });
  const when = h("li"), numbers = names.map(() => h("b")), levels = [2, 1, 0].map(() => h("span")), axis = h("div.axis");
  const node = box(svg("path", { stroke: "var(--line)", d: "M0 0H9999M0 50H9999M0 100H9999" }), paths, hair);
  let values, end, step, chosen = Infinity, last = 0;

  /** At the right end, the numbers are those of now. */
  const choose = (at) => {
    chosen = at < last ? Math.max(0, at) : Infinity;
    const shown = Math.min(chosen, last);
    set(hair, { d: shown < last ? `M${shown} 0V100` : "" });
    numbers.forEach((number, row) => write(number, text(values[row][shown] ?? NaN)));
    write(when, shown < last ? clock(end - (last - shown) * step) : "now");
    Object.assign(slider, { max: last, value: shown, ariaValueText: [when.textContent, ...names.map((name, at) => `${name} ${numbers[at].textContent}`)].join(", ") });
  };
  const slider = h("input", { type: "range", min: 0, ariaLabel: `${name}: time`, input: () => choose(slider.valueAsNumber) });
  node.addEventListener("pointermove", ({ offsetX }) => values && choose(Math.round((offsetX / node.clientWidth) * last)));
  node.addEventListener("pointerleave", () => values && choose(Infinity));

  return { node: h("figure", h("div.levels", levels), node, axis, slider, h("ul.legend", names.map((name, at) => h("li", colored(h("i"), at), name, " ", numbers[at])), when)), show(...news) {
    [values, end, step] = news;
    last = values[0].length - 1;
    const edges = stacked(values.slice(0, -1)), top = roundUp(largest([edges.at(-1), values.at(-1)]));
    set(node, { viewBox: `0 0 ${last} 100`, "aria-label": `${name}. ${names.map((name, at) => sentence(name, values[at], text)).join(". ")}.` });
    paths.forEach((one, at) => set(one, { d: path(edges[at] ?? values[at], top, edges[at] && (edges[at - 1] ?? [])) }));
    levels.forEach((level, at) => write(level, text(top * (1 - at / 2))));
    axis.replaceChildren(...[4, 3, 2, 1, 0].map((part) => h("span", clock(end - (part / 4) * last * step).slice(0, 5))));
    choose(chosen);
  } };
}

const spot = (value) => 100 * place(value, 0.0003, 30);
const took = (value, { count }) => (count ? seconds(value) : "–");

function put({ style }, from, width) {
  style.left = `${from}%`;
  style.width = `${Math.max(0.6, width)}%`;
}

/** Phases of many fetches: from p50 to p95 a bar, p99 a line, by logarithm from 0.3 ms to 30 s. @returns `{node, show(phases)}` */
export const spread = (caption) => table(caption, "name", "", [
  ["Phase", ({ name }) => words(name)],
  ["", "p50", ["track", () => h("span.spread", h("i"), h("u")), (node, _, { count, p50, p95, p99 }) => {
    node.hidden = !count;
    put(node.firstChild, spot(p50), spot(p95) - spot(p50));
    put(node.lastChild, spot(p99), 0);
  }]],
  ["p50", "p50", took], ["p95", "p95", took], ["p99", "p99", took],
]);

/** The phases of one result one after another: `{name, from, took}` in seconds. Pure.
 * @param timings Of a result: `firstByte` and `download` are measured from the beginning of the download. */
export function way(timings) {
  const { queued: queue, dns = 0, connect = 0, tls = 0, firstByte = 0, download } = timings;
  const own = { ...timings, queue, firstByte: firstByte - dns - connect - tls, download: download - firstByte };
  let from = 0;
  return phases.flatMap((name) => (own[name] > 0 ? { name, took: own[name], from: (from += own[name]) - own[name] } : []));
}

/** The beginning and the length of a way: phases end with the last event. Pure.
 * @param length Of its phases, in seconds. @param moments `{at, text}`, the earliest first, `at` in seconds since 1970. */
export function extent(length, moments) {
  const times = moments.map(({ at }) => at), end = times.at(-1) ?? length, begin = Math.min(end - length, ...times);
  return { begin, total: Math.max(end - begin, 1e-6) };
}

/** @param timings Seconds by phase, perhaps with `total`; undefined before the end. @param moments Events, which become marks and a list. */
export function waterfall(timings, moments = []) {
  const found = way(timings ?? {}), { from = 0, took = 0 } = found.at(-1) ?? {}, length = Math.max(timings?.total ?? 0, from + took), { begin, total } = extent(length, moments);
  const row = (name, text, marks) => h("tr", h("th", { scope: "row" }, words(name)), h("td.track", h("span.spread", marks)), h("td.number", text));
  const mark = (node, from, took) => {
    put(node, (100 * from) / total, (100 * took) / total);
    return node;
  };
  const bars = (ways) => ways.map(({ name, from, took }) => row(name, seconds(took), mark(h("i." + name), total - length + from, took))), rest = length - from - took;
  const rows = took ? [...bars(found), rest > 0.001 ? row("between the phases", seconds(rest)) : [], ...bars([{ name: "total", from: 0, took: length }])] : [];
  if (moments.length) rows.push(row("events", String(moments.length), moments.map(({ at, text }) => mark(h("u", { title: text }), at - begin, 0))));
  if (!timings && !rows.length) return;
  return [h("table", h("caption", took ? "Phases" : timings ? "A cache answered: no phase took time." : "Events"), rows), facts(...moments.map(({ at, text }) => ["+" + seconds(at - begin), text]))];
}
