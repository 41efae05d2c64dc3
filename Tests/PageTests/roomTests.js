import { deepStrictEqual as same } from "node:assert";
import { read } from "../../Sources/Coordinator/Page/Files/blur.js";
import { cause } from "../../Sources/Coordinator/Page/Files/failures.js";
import { limitsOf } from "../../Sources/Coordinator/Page/Files/queues.js";
import { kinds } from "../../Sources/Coordinator/Page/Files/search.js";
import { joined } from "../../Sources/Coordinator/Page/Files/sheet.js";
import { fraction } from "../../Sources/Coordinator/Page/Files/workers.js";

Deno.test("a word of the search can be a URL, or an id, or a host", () => {
  same(["https://a.org/x.png", "upload:abc", "data:,x", "trip-1", "a.org", "münchen.de", "10.0.0.1", "two words", ""].map(kinds),
    [["url"], ["url"], ["url"], ["id"], ["id", "host"], ["host"], ["id", "host"], [], []]);
});
Deno.test("limits of hosts are a host and a number a line", () => same(limitsOf("Example.org 4\n\n b.org=2 \nbroken\n"), { "example.org": 4, "b.org": 2 }));
Deno.test("progress is known where the origin gives a length", () => {
  same([{ phase: "connect" }, { phase: "download", received: 1, expected: 4 }, { phase: "download", received: 1 }, { phase: "encode" }, { phase: "store" }].map(fraction), [0, 0.25, null, 1, 1]);
});
Deno.test("a cause is named alike in groups, dead letters and the blacklist", () => {
  same([{ error: "httpStatus", sample: { status: 404 } }, { error: { code: 1010, data: { name: "httpStatus", status: 500 } } }, { cause: "httpStatus", status: 404 }, { cause: "badImageData" }].map(cause),
    ["httpStatus 404", "httpStatus 500", "httpStatus 404", "badImageData"]);
});
Deno.test("lists of pictures that overlap are joined without repetitions", () => {
  const picture = (receipt, key) => ({ receipt, key });
  same(joined([picture("b", 1), picture("a", 1)], [picture("a", 1), picture("a", 2)]).map(({ receipt, key }) => receipt + key), ["b1", "a1", "a2"]);
});
Deno.test("a BlurHash gives its size and its average color", () => {
  const { wide, high, colors } = read("LEHV6nWB2yk8pyo0adR*.7kCMdnj");
  same([wide, high, colors.map((factors) => factors.length)], [4, 3, [12, 12, 12]]);
  same(colors.map(([average]) => Math.round(255 * average ** (1 / 2.2))), [151, 150, 149]);
});
Deno.test("a text that is no BlurHash gives nothing", () => same(["", "L", "LEHV6nWB2yk8", "x".repeat(5000)].map(read), [{}, {}, {}, {}]));
