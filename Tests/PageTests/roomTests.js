import { deepStrictEqual as same, throws } from "node:assert";
import { blurhash, pixels, thumbhash } from "../../Sources/Features/Dashboard/Files/blur.js";
import { extent } from "../../Sources/Features/Dashboard/Files/chart.js";
import { cause, dump, revive } from "../../Sources/Features/Dashboard/Files/failures.js";
import { limitsOf } from "../../Sources/Features/Dashboard/Files/queues.js";
import { noted, step, told } from "../../Sources/Features/Dashboard/Files/receipt.js";
import { kinds, masked } from "../../Sources/Features/Dashboard/Files/search.js";
import { within } from "../../Sources/Features/Dashboard/Files/sheet.js";
import { fraction } from "../../Sources/Features/Dashboard/Files/workers.js";

Deno.test("a word of the search can be a URL, or an id, a host and a tag", () => {
  same(["https://a.org/x.png", "upload:abc", "data:,x", "trip-1", "shop/7", "a.org", "münchen.de", "10.0.0.1", "two words", ""].map(kinds),
    [["url"], ["url"], ["url"], ["id", "tag"], ["tag"], ["id", "host", "tag"], ["host"], ["id", "host", "tag"], [], []]);
});
Deno.test("a URL is looked for as lists show it, without the values of its query", () => {
  same(["http://a.org/x.png", "http://a.org/x&y=1#z", "http://a.org/x?w=1&h=a=b&&flag#z", "upload:abc"].map(masked),
    ["http://a.org/x.png", "http://a.org/x&y=1", "http://a.org/x?w=***&h=***&***", "upload:abc"]);
});
Deno.test("limits of hosts are a host and a number a line", () => same(limitsOf("Example.org 4\n\n b.org=2 \n::1 3"), { "example.org": 4, "b.org": 2, "::1": 3 }));
Deno.test("a line that is no limit changes nothing: its host would lose the limit", () => throws(() => limitsOf("a.org 4\nb.org many"), /b\.org many/));
Deno.test("first bytes are shown as digits, and as letters where they are some", () => same(dump("3c21009f7f20"), "3c 21 00 9f 7f 20 \n<!··· "));
Deno.test("progress is known where the origin gives a length", () => {
  same([{ phase: "connect" }, { phase: "download", receivedBytes: 1, expectedBytes: 4 }, { phase: "download", receivedBytes: 1 }, { phase: "encode" }, { phase: "store" }].map(fraction), [0, 0.25, null, 1, 1]);
});
Deno.test("a cause is named alike in groups, dead letters and the blacklist", () => {
  same([{ error: "httpStatus", status: 404, sample: {} }, { error: { code: 1010, data: { name: "httpStatus", status: 500 } } }, { cause: "httpStatus", status: 404 }, { cause: "badImageData" }].map(cause),
    ["httpStatus 404", "httpStatus 500", "httpStatus 404", "badImageData"]);
});
Deno.test("a BlurHash becomes the colors of a picture", () => {
  const hash = blurhash("LEHV6nWB2yk8pyo0adR*.7kCMdnj");
  same(hash.planes.map((terms) => terms.length), [12, 12, 12]);
  same(hash.color(hash.planes.map(([[, , average]]) => average)).map((part) => Math.round(255 * part)), [151, 150, 149]);
});
Deno.test("a ThumbHash becomes the colors and the opacity that its reference gives", () => {
  const shown = (text) => pixels(thumbhash(text), 2).map(Math.round);
  same(shown("IBcGLYZJdqiLdnaKUKhRawFR86lq"), [132, 86, 208, 255, 102, 109, 125, 255, 121, 99, 130, 255, 124, 136, 105, 255]);
  same(shown("YReCFAQYeto191lLJxAl/FycSEgId3V3Bw=="), [131, 105, 165, 146, 135, 120, 146, 107, 136, 121, 144, 158, 129, 138, 134, 133]);
  same(shown("3/cJOpqAh4dweIiIgHAI+Hg="), [43, 43, 149, 255, 207, 29, 120, 255, 30, 225, 129, 255, 200, 199, 106, 255]);
});
Deno.test("a text that is no hash gives nothing", () => {
  same(["", "L", "LEHV6nWB2yk8", "x".repeat(5000)].map(blurhash), [{}, {}, {}, {}]);
  same(["", "AAAA", "IBcGLYZ", "IBcGLYZJdqiL====", "____________", "A".repeat(5000)].map(thumbhash), [{}, {}, {}, {}, {}, {}]);
});
Deno.test("an operation is a line with its values", () => {
  same([{ op: "grayscale" }, { op: "resize", width: 300, fit: "cover" }, { op: "crop", gravity: { x: 0.5, y: 0 } }, { op: "frames", pick: [1, 2] }].map(step),
    ["grayscale", "resize: width 300, fit cover", 'crop: gravity {"x":0.5,"y":0}', "frames: pick 1,2"]);
});
Deno.test("events are noted once, and of progress the beginning of each phase", () => {
  const events = [{ seq: 1, type: "queued" }, { seq: 2, type: "started", attempt: 1 }, { seq: 2, type: "started", attempt: 1 }, { seq: 3, type: "progress", phase: "download" }, { seq: 4, type: "progress", phase: "download" },
    { seq: 5, type: "retrying", attempt: 1, delay: 2, error: { data: { name: "timeout" } } }, { seq: 6, type: "progress", phase: "firstByte" }, { seq: 7, type: "response", status: 200 }].reduce(noted, []);
  same(events.map(({ seq }) => seq), [1, 2, 3, 5, 6, 7]);
  same(events.map(told), ["queued", "started, attempt 1", "download", "retrying, attempt 1, again in 2.0 s, timeout", "first byte", "response, 200"].map((text) => text.replace("2.0 s", "2 s")));
});
Deno.test("of very many events the first are noted, and the end", () => {
  const events = Array.from({ length: 500 }, (_, at) => ({ seq: at + 1, type: at < 499 ? "rendition" : "succeeded" })).reduce(noted, []);
  same([events.length, events.at(-1).type], [65, "succeeded"]);
});
Deno.test("the phases of a receipt end with its last event, and begin before or with its first one", () => {
  const at = (...times) => times.map((at) => ({ at }));
  same([[2, at(10, 12)], [3, at(10, 12)], [1, at(10, 12)], [0, at(10, 10.5)], [2, []]].map(([length, moments]) => extent(length, moments)),
    [{ begin: 10, total: 2 }, { begin: 9, total: 3 }, { begin: 10, total: 2 }, { begin: 10, total: 0.5 }, { begin: 0, total: 2 }]);
});
Deno.test("pictures are loaded from the first one on, and not beyond their bytes together", () => {
  const items = [400, 300, 400, 1].map((bytes, at) => ({ at, bytes })), loaded = (most) => within(items, most).map(({ at }) => at);
  same([loaded(0), loaded(700), loaded(1099), loaded(1101), within([], 9)], [[], [0, 1], [0, 1], [0, 1, 2, 3], []]);
});
Deno.test("all dead letters of a queue are queued again, page by page, but for those that cannot be", async () => {
  const letters = Array.from({ length: 450 }, (_, at) => ({ id: `d${at}`, retryable: at % 9 > 0 })), asked = [], { fetch } = globalThis;
  globalThis.fetch = async (_, { body }) => {
    const { method, params: { queue, limit, cursor = 0, ids } } = JSON.parse(body), end = cursor + limit;
    asked.push([method, queue, ids?.length]);
    return Response.json({ result: ids ? { retried: ids.length } : { items: letters.slice(cursor, end), cursor: end < letters.length ? end : undefined } });
  };
  try {
    same(await revive("thumbs"), 400);
    letters.forEach((letter) => (letter.retryable = false));
    same(await revive("thumbs"), 0);
  } finally {
    globalThis.fetch = fetch;
  }
  same([asked.filter(([method]) => method === "dead.retry"), asked.length], [[177, 178, 45].map((number) => ["dead.retry", "thumbs", number]), 9]);
});
