import { deepStrictEqual as same } from "node:assert";
import { ago, bytes, clock, count, percent, plain, rate, seconds, some, words } from "../../Sources/Features/Dashboard/Files/text.js";

/** A row: a value and its text. */
const table = (name, text, rows) => Deno.test(name, () => same(rows.map(([value]) => text(value)), rows.map(([, expected]) => expected)));

table("counts have groups, and a unit from 10,000 on", count, [
  [0, "0"], [7, "7"], [1234, "1,234"], [9999, "9,999"], [9999.6, "10.0 k"], [12345, "12.3 k"], [999_999, "1.0 M"], [4_500_000, "4.5 M"], [2e12, "2 T"], [NaN, "–"], [undefined, "–"], [null, "–"],
]);
table("rates below ten have one digit behind the point", rate, [[0, "0"], [0.04, "0.0"], [0.44, "0.4"], [3, "3"], [9.96, "10"], [38.4, "38"], [12345, "12.3 k"], [NaN, "–"]]);
table("bytes have decimal units", bytes, [[0, "0 B"], [512, "512 B"], [999.4, "999 B"], [999.6, "1.0 kB"], [12_345, "12.3 kB"], [999_960, "1.0 MB"], [4_500_000, "4.5 MB"], [3.1e9, "3.1 GB"], [undefined, "–"]]);
table("times have the largest unit that is not below one", seconds, [
  [0, "0 µs"], [-3, "0 µs"], [0.00034, "340 µs"], [0.00099999, "1.0 ms"], [0.012, "12 ms"], [0.9999, "1.0 s"], [1.3, "1.3 s"], [42, "42 s"], [60, "1 min"], [270, "4.5 min"], [5400, "1.5 h"], [180_000, "2.1 d"], [NaN, "–"],
]);
table("percentages below ten have one digit behind the point", percent, [[0, "0 %"], [0.004, "0.4 %"], [0.5, "50 %"], [1, "100 %"], [0 / 0, "–"], [1 / 0, "–"]]);
table("a time in the future is now", (time) => ago(time, 1000), [[1001, "now"], [999.5, "now"], [988, "12 s ago"], [820, "3 min ago"], [undefined, "–"]]);
table("names become words", words, [["firstByte", "first byte"], ["queue", "queue"]]);

Deno.test("a number of one thing has no plural", () => same([some(1, "fetch", "fetches"), some(2, "fetch", "fetches"), some(0, "worker")], ["1 fetch", "2 fetches", "0 workers"]));
Deno.test("a clock has two digits for each part", () => same(/^\d\d:\d\d:\d\d$/.test(clock(1_764_100_000)), true));

Deno.test("marks of control and direction are shown by name", () => same(plain("a\u202egnp.exe\u0000\n\u200bz\u2066"), "a‹U+202E›gnp.exe‹U+0000›‹U+000A›‹U+200B›z‹U+2066›"));
Deno.test("markup stays as it is: it becomes a text node", () => same(plain("<img src=x onerror=alert(1)>"), "<img src=x onerror=alert(1)>"));
Deno.test("half a surrogate pair, also one that the cut leaves, is no broken text", () => {
  same(plain("\ud83d"), "\ufffd");
  same(plain("😀".repeat(200), 10).isWellFormed(), true);
});
Deno.test("of a long text the beginning and the end are shown, however long the text is", () => {
  const shown = plain("https://example.org/" + "a".repeat(65536) + "/end.png", 40);
  same([shown.length, shown.startsWith("https://example.org/"), shown.endsWith("/end.png")], [41, true, true]);
});
Deno.test("what is missing is an empty text", () => same([plain(undefined), plain(null), plain(0)], ["", "", "0"]));
