// How the service does now: rates, where answers come from, how long phases take, what the caches save, the newest pictures.
import { chart, spark, spread } from "./chart.js";
import { h, link, section, write } from "./dom.js";
import { bins } from "./series.js";
import { sheet } from "./sheet.js";
import { table } from "./table.js";
import { bytes, count, percent, rate } from "./text.js";

const quarter = 900, cached = ({ memoryHits, resultHits }) => memoryHits + resultHits;

/** The numbers at the top: what a second brings, and its text. */
const tiles = Object.entries({
  Requests: [({ requests }) => requests, rate], Succeeded: [({ succeeded }) => succeeded, rate], Failed: [({ failed }) => failed, rate],
  "From caches": [cached, rate], Downloaded: [({ bytesFetched }) => bytesFetched, bytes], Made: [({ bytesMade }) => bytesMade, bytes],
});
const answers = { memory: "memoryHits", results: "resultHits", "shared fetch": "joined", sources: "sourceHits", origin: "sourceMisses", failed: "failed" };

export function overview(room) {
  const shown = tiles.map(() => h("b")), lines = tiles.map(([name, [, text]]) => spark(name + ", the latest minute", text));
  const answered = chart("Answers a second", Object.keys(answers), rate), took = spread("Phases, the latest minute"), newest = sheet("The newest pictures");
  const choice = h("select", { ariaLabel: "Time", change: () => draw(room.live) }, h("option", { value: "" }, "15 minutes"), h("option", "24 hours"));
  const part = (caption, first, share, empty, ...more) => table(caption + ", 15 minutes", "name", empty, [[first, "name"], ["", "share", "bar"], [share, "share", percent], ["Number", "count", count], ...more]);
  const caches = part("Caches", "Tier", "Hits", "", ["Size", "bytes", bytes]), formats = part("Bytes made", "Format", "Of all", "None made.", ["Size", "bytes", bytes]), errors = part("Errors", "Error", "Of all", "Nothing has failed.");
  let stats = {};

  const draw = ({ fine, coarse }) => {
    const [history, size] = choice.value ? [coarse, 24] : [fine, 5];
    answered.show(Object.values(answers).map((member) => bins(history.rates((counts) => counts[member]), size)), history.newest * history.step, history.step * size);
  };
  room.add(
    h("ul.tiles", tiles.map(([name], at) => h("li", h("span", name), shown[at], h("small", "a second"), lines[at].node))),
    section("Answers a second", choice, answered.node), h("div.columns", [took, caches, formats, errors].map(({ node }) => node)),
    section("Newest pictures", link("All pictures", "pictures"), newest.node));
  room.hear((live) => {
    const { fine } = live, now = fine.sums("counts", 10), { memoryHits, resultHits, sourceHits, sourceMisses, requests, failed, bytesMade } = fine.sums("counts", quarter);
    tiles.forEach(([, [read, text]], at) => {
      write(shown[at], text(read(now) / 10));
      lines[at].show(fine.rates(read, 60));
    });
    draw(live);
    took.show(fine.phases(60));
    const shares = { memory: memoryHits / requests, results: resultHits / (requests - memoryHits), sources: sourceHits / (sourceHits + sourceMisses) };
    caches.show(Object.entries(shares).map(([name, share]) => ({ name, share, ...stats[name] })));
    const most = (member, read) => Object.entries(fine.sums(member, quarter)).map(([name, value]) => ({ name, ...read(value) })).sort((a, b) => b.count - a.count).slice(0, 8);
    formats.show(most("formats", ({ bytes }) => ({ bytes, share: bytes / bytesMade })));
    errors.show(most("errors", (count) => ({ count, share: count / failed })));
  });
  room.every(10, "cache.stats", {}, (answer) => (stats = answer));
  room.every(3, "pictures.list", { limit: 16 }, ({ items }) => newest.show(items));
}
