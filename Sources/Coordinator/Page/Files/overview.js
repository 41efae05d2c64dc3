// How the service does now: rates, where answers come from, how long phases take, what the caches save, the newest pictures.
import { chart, spark, spread } from "./chart.js";
import { h, link, section, write } from "./dom.js";
import { bins } from "./series.js";
import { sheet } from "./sheet.js";
import { table } from "./table.js";
import { bytes, count, percent, rate } from "./text.js";

const quarter = 900, cached = ({ memoryHits, resultHits }) => memoryHits + resultHits;

/** Name, the line of a minute and its text; the value of ten seconds and its unit, if it is no rate. */
const tiles = [
  ["Requests", ({ requests }) => requests, rate],
  ["Succeeded", ({ succeeded }) => succeeded, rate],
  ["Failed", ({ failed }) => failed, rate],
  ["From caches", cached, rate, (sums) => percent(cached(sums) / sums.requests), "of requests"],
  ["Downloaded", ({ bytesFetched }) => bytesFetched, bytes],
  ["Made", ({ bytesMade }) => bytesMade, bytes],
];
const answers = { memory: "memoryHits", results: "resultHits", "shared fetch": "joined", sources: "sourceHits", origin: "sourceMisses", failed: "failed" };

export function overview(room) {
  const shown = tiles.map(() => h("b")), lines = tiles.map(([name, , text]) => spark(name + ", the latest minute", text));
  const answered = chart("Answers a second", Object.keys(answers), rate), took = spread("Phases, the latest minute"), newest = sheet("The newest pictures");
  const choice = h("select", { ariaLabel: "Time", change: () => draw(room.live) }, h("option", { value: "" }, "15 minutes"), h("option", "24 hours"));
  const caches = table("Caches, 15 minutes", "name", "", [["Tier", "name"], ["", "share", "bar"], ["Hits", "share", percent], ["Entries", "count", count], ["Size", "bytes", bytes]]);
  const formats = table("Bytes saved, 15 minutes", "name", "No picture was made.", [["Format", "name"], ["", "saved", "bar"], ["Saved", "saved", percent], ["Made", "made", count], ["Size", "bytes", bytes]]);
  const errors = table("Errors, 15 minutes", "name", "Nothing has failed.", [["Error", "name"], ["", "share", "bar"], ["Requests", "value", count]]);
  let stats = {};

  const draw = ({ fine, coarse }) => {
    const [history, size] = choice.value ? [coarse, 24] : [fine, 5];
    answered.show(Object.values(answers).map((member) => bins(history.rates((counts) => counts[member]), size)), history.newest * history.step, history.step * size);
  };
  room.add(
    h("ul.tiles", tiles.map(([name, , , , unit = "a second"], at) => h("li", h("span", name), shown[at], h("small", unit), lines[at].node))),
    section("Answers a second", choice, answered.node), h("div.columns", [took, caches, formats, errors].map(({ node }) => node)),
    section("Newest pictures", link("All pictures", "pictures"), newest.node));
  room.hear((live) => {
    const { fine } = live, now = fine.sums("counts", 10), { memoryHits, resultHits, sourceHits, sourceMisses, requests } = fine.sums("counts", quarter);
    tiles.forEach(([, read, text, value], at) => {
      write(shown[at], value ? value(now) : text(read(now) / 10));
      lines[at].show(fine.rates(read, 60));
    });
    draw(live);
    took.show(fine.phases(60));
    const shares = { memory: memoryHits / requests, results: resultHits / (requests - memoryHits), sources: sourceHits / (sourceHits + sourceMisses) };
    caches.show(Object.entries(shares).map(([name, share]) => ({ name, share, ...stats[name] })));
    formats.show(Object.entries(fine.sums("formats", quarter)).map(([name, sums]) => ({ name, ...sums, saved: 1 - sums.bytes / sums.sourceBytes })).sort((a, b) => b.made - a.made));
    const found = Object.entries(fine.sums("errors", quarter)).sort((a, b) => b[1] - a[1]);
    errors.show(found.slice(0, 8).map(([name, value]) => ({ name, value, share: value / found[0][1] })));
  });
  room.every(10, "cache.stats", {}, (answer) => (stats = answer));
  room.every(3, "pictures.list", { limit: 16 }, ({ items }) => newest.show(items));
}
