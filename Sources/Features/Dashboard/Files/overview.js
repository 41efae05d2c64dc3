// How the service does now: rates, where answers come from, how long phases take, what the caches save, the newest pictures.
import { chart, spark, spread } from "./chart.js";
import { h, link, section, write } from "./dom.js";
import { bins } from "./series.js";
import { sheet } from "./sheet.js";
import { table } from "./table.js";
import { bytes, count, percent, rate } from "./text.js";

const quarter = 900, failed = ["failed", "expired", "refused"];
const answers = { memory: "memoryHits", results: "resultHits", "shared fetch": "joined", sources: "sourceHits", origin: "sourceMisses", failed };

/** Adds up counts by their names. */
const sum = (members) => (counts) => [members].flat().reduce((sum, member) => sum + counts[member], 0);

/** The numbers at the top: the text of a number a second, and the counts that it adds. */
const tiles = Object.entries({
  Requests: [rate, "submits"], "Pictures by GET": [rate, "pictures"], Succeeded: [rate, "succeeded"], Failed: [rate, ...failed], "From caches": [rate, "memoryHits", "resultHits"], Downloaded: [bytes, "bytesFetched"], Made: [bytes, "bytesMade"],
});

export function overview(room) {
  const shown = tiles.map(() => h("b")), lines = tiles.map(([name, [text]]) => spark(name + ", the latest minute", text));
  const answered = chart("Answers a second", Object.keys(answers), rate), took = spread("Phases, the latest minute"), newest = sheet("The newest pictures");
  const choice = h("select", { ariaLabel: "Time", change: () => draw(room.live) }, h("option", { value: "" }, "15 minutes"), h("option", "24 hours"));
  const part = (caption, first, share, empty, ...more) => table(caption + ", 15 minutes", "name", empty, [[first, "name"], ["", "share", "bar"], [share, "share", percent], ...more]);
  const caches = part("Caches", "Tier", "Hits", "", ["Number", "count", count], ["Size", "bytes", bytes]), formats = part("Bytes made", "Format", "Of all", "None made.", ["Size", "number", bytes], ["Saved", "saved", bytes], ["", "less", percent]), errors = part("Errors", "Error", "Of all", "Nothing has failed.", ["Number", "number", count]);
  let stats = {};

  const draw = ({ fine, coarse }) => {
    const [history, size] = choice.value ? [coarse, 6] : [fine, 5];
    answered.show(Object.values(answers).map((members) => bins(history.rates(sum(members)), size)), history.newest * history.step, history.step * size);
  };
  room.add(
    h("ul.tiles", tiles.map(([name], at) => h("li", h("span", name), shown[at], h("small", "a second"), lines[at].node))),
    section("Answers a second", choice, answered.node), h("div.columns", [took, caches, formats, errors].map(({ node }) => node)),
    section("Newest pictures", link("All pictures", "pictures"), newest.node));
  room.hear((live) => {
    const { fine } = live, counts = fine.sums("counts", quarter);
    tiles.forEach(([, [text, ...members]], at) => {
      write(shown[at], text(bins(fine.rates(sum(members), 10), 10)[0] ?? 0));
      lines[at].show(fine.rates(sum(members), 60));
    });
    draw(live);
    took.show(fine.phases(60));
    caches.show(Object.entries({ memory: "memory", results: "result", sources: "source" }).map(([name, tier]) => {
      const hits = counts[tier + "Hits"];
      return { name, share: hits / (hits + counts[tier + "Misses"]), ...stats[name] };
    }));
    const most = (member, read) => {
      const found = Object.entries(fine.sums(member, quarter)).map(([name, value]) => ({ name, ...read(value) })), all = found.reduce((sum, { number }) => sum + number, 0);
      return found.sort((a, b) => b.number - a.number).slice(0, 8).map((item) => ({ ...item, share: item.number / all }));
    };
    formats.show(most("formats", ({ bytes: number, ofSources }) => ({ number, saved: ofSources - number, less: 1 - number / ofSources })));
    errors.show(most("errors", (number) => ({ number })));
  });
  room.every(10, "cache.stats", { maxAge: 300 }, (answer) => (stats = answer));
  room.every(3, "pictures.list", { limit: 16 }, ({ items }) => newest.show(items));
}
