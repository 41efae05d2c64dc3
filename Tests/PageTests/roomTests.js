import { deepStrictEqual as same, throws } from "node:assert";
import { read } from "../../Sources/Coordinator/Page/Files/blur.js";
import { cause, dump } from "../../Sources/Coordinator/Page/Files/failures.js";
import { limitsOf } from "../../Sources/Coordinator/Page/Files/queues.js";
import { kinds } from "../../Sources/Coordinator/Page/Files/search.js";
import { fraction } from "../../Sources/Coordinator/Page/Files/workers.js";

Deno.test("a word of the search can be a URL, or an id, a host and a tag", () => {
  same(["https://a.org/x.png", "upload:abc", "data:,x", "trip-1", "shop/7", "a.org", "münchen.de", "10.0.0.1", "two words", ""].map(kinds),
    [["url"], ["url"], ["url"], ["id", "tag"], ["tag"], ["id", "host", "tag"], ["host"], ["id", "host", "tag"], [], []]);
});
Deno.test("limits of hosts are a host and a number a line", () => same(limitsOf("Example.org 4\n\n b.org=2 \n::1 3"), { "example.org": 4, "b.org": 2, "::1": 3 }));
Deno.test("a line that is no limit changes nothing: its host would lose the limit", () => throws(() => limitsOf("a.org 4\nb.org many"), /b\.org many/));
Deno.test("first bytes are shown as digits, and as letters where they are some", () => same(dump("3c21009f7f20"), "3c 21 00 9f 7f 20 \n<!··· "));
Deno.test("progress is known where the origin gives a length", () => {
  same([{ phase: "connect" }, { phase: "download", receivedBytes: 1, expectedBytes: 4 }, { phase: "download", receivedBytes: 1 }, { phase: "encode" }, { phase: "store" }].map(fraction), [0, 0.25, null, 1, 1]);
});
Deno.test("a cause is named alike in groups, dead letters and the blacklist", () => {
  same([{ error: "httpStatus", sample: { status: 404 } }, { error: { code: 1010, data: { name: "httpStatus", status: 500 } } }, { cause: "httpStatus", status: 404 }, { cause: "badImageData" }].map(cause),
    ["httpStatus 404", "httpStatus 500", "httpStatus 404", "badImageData"]);
});
Deno.test("a BlurHash gives its size and its average color", () => {
  const { wide, high, colors } = read("LEHV6nWB2yk8pyo0adR*.7kCMdnj");
  same([wide, high, colors.map((factors) => factors.length)], [4, 3, [12, 12, 12]]);
  same(colors.map(([average]) => Math.round(255 * average ** (1 / 2.2))), [151, 150, 149]);
});
Deno.test("a text that is no BlurHash gives nothing", () => same(["", "L", "LEHV6nWB2yk8", "x".repeat(5000)].map(read), [{}, {}, {}, {}]));
