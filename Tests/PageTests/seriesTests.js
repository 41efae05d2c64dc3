import { deepStrictEqual as same } from "node:assert";
import { bins, History, path, place, roundUp, stacked } from "../../Sources/Features/Dashboard/Files/series.js";
import { sentence, way } from "../../Sources/Features/Dashboard/Files/chart.js";

const point = (time, requests, more = {}) => ({ time, seconds: 1, counts: { requests }, phases: {}, ...more });
const requests = (history, length) => history.rates((counts) => counts.requests, length);

Deno.test("a second without a point is a gap, not a zero", () => {
  const history = new History(1, 5);
  history.add([point(100, 4), point(102, 6)]);
  same(requests(history), [null, null, 4, null, 6]);
});
Deno.test("points older than the ring are forgotten, and late ones take their place", () => {
  const history = new History(1, 3);
  history.add([point(100, 1), point(105, 5), point(104, 4)]);
  same(requests(history), [null, 4, 5]);
});
Deno.test("a point of a known time replaces it: the stream and the list overlap", () => {
  const history = new History(1, 2);
  history.add([point(100, 1)]);
  history.add([point(100, 1), point(101, 2)]);
  same(requests(history), [1, 2]);
  same(history.sums("counts", 2), { requests: 3 });
});
Deno.test("a point of several seconds counts by the second, also after a stall", () => {
  const history = new History(60, 2);
  history.add([point(1500, 120, { seconds: 60 }), point(1560, 120, { seconds: 40 })]);
  same(requests(history), [2, 3]);
  same(history.newest * history.step, 1560);
});
Deno.test("sums add members at any depth, over the latest points only", () => {
  const history = new History(1, 10);
  history.add([point(1, 9, { formats: { webp: { made: 9 } } }), point(9, 1, { formats: { webp: { made: 1, bytes: 10 } } }), point(10, 1, { formats: { webp: { made: 2 }, avif: { made: 1 } } })]);
  same(history.sums("formats", 2), { webp: { made: 3, bytes: 10 }, avif: { made: 1 } });
  same(history.sums("errors", 2), {});
});
Deno.test("quantiles of many points are those of their histograms added up", () => {
  const history = new History(1, 10), decode = (count, ...buckets) => ({ phases: { decode: { count, buckets } } });
  history.bounds = [0.1, 0.2, 0.5, 1];
  // 60 up to 0.2 s, 35 up to 0.5 s, four up to 1 s, and one above the last bound.
  history.add([point(1, 0, decode(30, 1, 30)), point(2, 0, decode(65, 1, 30, 35)), point(3, 0), point(4, 0, decode(5, 3, 4))]);
  const { name, count, p50, p95, p99 } = history.phases(10).find(({ name }) => name === "decode");
  same([name, count, ...[p50, p95, p99].map((value) => value.toFixed(4))], ["decode", 100, "0.1833", "0.5000", "1.0000"]);
  same(history.phases(10).find(({ name }) => name === "dns").count, 0);
});

Deno.test("the end of an axis is a round number that is not below the largest value", () => same([0, -1, NaN, 0.03, 1, 1.01, 9, 112, 6001].map(roundUp), [1, 1, 1, 0.03, 1, 1.2, 10, 120, 8000]));
Deno.test("gaps do not count in averages", () => same(bins([1, 3, null, 5, null, null, 7], 2), [2, 5, null, 7]));
Deno.test("rows lie on each other, and a gap goes through all above it", () => same(stacked([[1, null, 3], [10, 10, null]]), [[1, null, 3], [11, null, null]]));
Deno.test("places on a logarithmic line end at its ends", () => same([0, 0.001, 1, 1000, 1e9].map((value) => place(value, 0.001, 1000)), [0, 0, 0.5, 1, 1]));
Deno.test("a line has a piece for each run without a gap", () => same(path([0, 1, null, 2], 2), "M0 100.0L1 50.0M3 0.0"));
Deno.test("an area returns on its foot", () => same(path([1, 2], 2, [0, 1]), "M0 50.0L1 0.0L1 50.0L0 100.0"));
Deno.test("without values there is no path", () => same([path([], 1), path([null], 1, [])], ["", ""]));

Deno.test("a chart says in words what it shows", () => {
  same(sentence("failed", [3, null, 1], String), "failed: now 1, highest 3");
  same(sentence("failed", [null], String), "failed: no values");
});
Deno.test("phases of a result follow one another, without those that took no time", () => {
  same(way({ queued: 1, dns: 0, download: 2, total: 4 }), [{ name: "queue", took: 1, from: 0 }, { name: "download", took: 2, from: 1 }]);
  // As the protocol has them: from the beginning of the download to its first byte, and to its end.
  same(way({ dns: 1, connect: 1, tls: 1, firstByte: 8, download: 10 }).map(({ name, took }) => name + took), ["dns1", "connect1", "tls1", "firstByte5", "download2"]);
  same(way({}), []);
});
