import { deepStrictEqual as same, rejects, throws } from "node:assert";
import { address, addresses } from "../src/address.ts";
import { Backoff, pause } from "../src/backoff.ts";
import { encode } from "../src/cache.ts";
import { LostWay, TintypeError } from "../src/errors.ts";
import { EventLog } from "../src/event-log.ts";
import { blur, type errors, resize, rotate } from "../src/generated.ts";
import { Lines } from "../src/lines.ts";
import { receiptID } from "../src/receipt-id.ts";
import { delay, repeat } from "../src/retry.ts";
import { ServerEvents } from "../src/server-events.ts";
import { picturePath, Signer } from "../src/signer.ts";
import { decode } from "../src/tcp.ts";
import { thumbHashPicture } from "../src/thumbhash.ts";
import { Turns } from "../src/turns.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

Deno.test("addresses have a kind, a host and a port", () => {
  const rows: [string, string, boolean, string, number][] = [
    ["tcp://images.internal", "tcp", false, "images.internal", 7411],
    ["tls://images.internal:7443", "tcp", true, "images.internal", 7443],
    ["http://127.0.0.1:7412/", "http", false, "127.0.0.1", 7412],
    ["https://images.example/tintype/", "http", true, "images.example", 443],
    ["tcp://[::1]:7411", "tcp", false, "::1", 7411],
  ];
  for (const [text, kind, secure, host, port] of rows) {
    const read = address(text);
    same([read.kind, read.secure, read.host, read.port], [kind, secure, host, port], text);
    same(read.href.endsWith("/"), false);
  }
});

for (const text of ["", "images.internal:7411", "ftp://a", "tcp://a/path", "http://a?x=1", "http://user:secret@a"]) {
  Deno.test(`"${text}" is no address, and the error shows no secret`, () => {
    throws(() => address(text), (error: Error) => error instanceof TypeError && !error.message.includes("secret"));
  });
}

Deno.test("clients begin at addresses by chance, and kinds are not mixed", () => {
  const all = ["tcp://a", "tcp://b", "tcp://c"];
  same(addresses(all, () => 0.5).map((one) => one.host), ["b", "c", "a"]);
  throws(() => addresses(["tcp://a", "http://b"]), TypeError);
  throws(() => addresses([]), TypeError);
});

Deno.test("pauses double up to the longest, and half of each is chance", () => {
  const most = new Backoff(0.1, 1, () => 1);
  same(Array.from({ length: 6 }, () => most.next()), [0.1, 0.2, 0.4, 0.8, 1, 1]);
  const least = new Backoff(0.1, 1, () => 0);
  same([least.next(), least.next()], [0.05, 0.1]);
  least.reset();
  same(least.next(), 0.05);
});

Deno.test("a line may come in any pieces, also in the middle of a letter", () => {
  const text = '{"a":"é😀"}\n{}\n\nrest';
  for (let size = 1; size < 8; size++) {
    const lines = new Lines(100);
    const all = bytes(text);
    const found: string[] = [];
    for (let start = 0; start < all.length; start += size) found.push(...lines.take(all.subarray(start, start + size)));
    same(found, ['{"a":"é😀"}', "{}", ""]);
  }
  throws(() => new Lines(3).take(bytes("abcd")), RangeError);
});

Deno.test("server-sent events are read as browsers read them, in any pieces", () => {
  const text =
    "retry: 2000\n\n: comment\n\nid: 1\nevent: state\ndata: {}\n\nid: 2\r\nevent: progress\r\ndata: a\r\ndata:  b\r\n\r\ndata: c\nid\n\nevent: lost\n\ndata: never";
  for (const size of [1, 2, 5, 1000]) {
    const events = new ServerEvents();
    const all = bytes(text);
    const found = [];
    for (let start = 0; start < all.length; start += size) found.push(...events.take(all.subarray(start, start + size)));
    same(found, [{ id: "1", type: "state", data: "{}" }, { id: "2", type: "progress", data: "a\n b" }, { id: "", type: "message", data: "c" }]);
  }
});

Deno.test("base64 is that of the protocol, for any length", () => {
  for (const length of [0, 1, 2, 3, 8192, 20_000]) {
    const data = Uint8Array.from({ length }, (_, index) => index * 7);
    same(decode(encode(data)), data);
  }
});

const error = (name: keyof typeof errors, more: Record<string, unknown> = {}) => TintypeError.make(name, "text", more);

Deno.test("an error has the name, the code and the members of the protocol", () => {
  const body = {
    code: 1010,
    message: "no",
    data: { name: "httpStatus", phase: "download", retryable: false, message: "no", status: 404, attempts: 1 },
  } as const;
  const read = new TintypeError(body);
  same([read.name, read.code, read.phase, read.retryable, read.attempts, read.data.status], ["httpStatus", 1010, "download", false, 1, 404]);
  same(new TintypeError({ code: 1050, message: "full", data: { name: "overloaded", retryable: true, retryAfter: 3 } }).retryAfter, 3);
  same(new TintypeError({ code: -32601, message: "no" }).name, "methodNotFound");
  same(`${read}`, "httpStatus: no");
  const lost = new LostWay("gone", true, { cause: "a cable" });
  same([lost instanceof TintypeError, lost.name, lost.code, lost.retryable, lost.phase, lost.cause], [
    true,
    "connectionLost",
    1017,
    true,
    undefined,
    "a cable",
  ]);
  same(new LostWay("nobody", false).name, "connect");
});

Deno.test("what is tried again, and after how many seconds", () => {
  const rows: [unknown, string, number | undefined][] = [
    [new LostWay("lost", true), "image.load", 0.1],
    [new LostWay("lost", true), "chain.append", undefined],
    [new LostWay("lost", true), "batch.start", undefined],
    [new LostWay("lost", true), "prefetch.start", undefined],
    [new LostWay("never sent", false), "chain.append", 0.1],
    [error("overloaded", { retryAfter: 3 }), "image.load", 3.1],
    [error("overloaded"), "image.load", 1.1],
    [error("overloaded", { retryAfter: 3, limit: "wrongTokens" }), "image.load", undefined],
    [error("unavailable", { retryAfter: 2 }), "image.load", 2],
    [error("shuttingDown"), "image.submit", 0.1],
    [error("httpStatus", { retryable: true }), "image.load", undefined],
    [error("timeout"), "image.load", undefined],
    // The service's own: the origin cannot be reached.
    [error("connect"), "image.load", undefined],
    [error("unauthenticated"), "image.load", undefined],
    [new Error("another"), "image.load", undefined],
  ];
  for (const [failure, method, seconds] of rows) same(delay(failure, method, new Backoff(0.1, 5, () => 1)), seconds, `${failure} ${method}`);
});

Deno.test("a try that would come too late is not made: the failure itself is thrown", async () => {
  let tries = 0;
  const failure = error("overloaded", { retryAfter: 60 });
  await rejects(repeat("image.load", performance.now() + 1000, undefined, () => (tries++, Promise.reject(failure))), failure);
  same(tries, 1);
});

Deno.test("an abort ends the pause between two tries, with its reason", async () => {
  const stop = new AbortController();
  const failed = repeat("image.load", Infinity, stop.signal, () => Promise.reject(error("overloaded", { retryAfter: 60 })));
  stop.abort(new Error("enough"));
  await rejects(failed, /enough/);
});

Deno.test("a slow reader of events has the latest progress, and every other event", async () => {
  type Event = { readonly type: string; readonly n?: number };
  const log = new EventLog<Event>(() => ({ type: "gap" }));
  log.push({ type: "queued" });
  for (let n = 0; n < 10_000; n++) log.push({ type: "progress", n });
  log.push({ type: "succeeded" });
  log.end();
  same(await Array.fromAsync(log), [{ type: "queued" }, { type: "progress", n: 9999 }, { type: "succeeded" }]);
});

Deno.test("a reader that is too far behind is told by a gap, memory is bounded, and no result is lost", async () => {
  type Event = { readonly type: string; readonly n?: number };
  const log = new EventLog<Event>(() => ({ type: "gap" }));
  log.push({ type: "cached" });
  log.push({ type: "rendition" });
  for (let n = 0; n < 10_000; n++) log.push({ type: "started", n });
  log.push({ type: "succeeded" });
  log.end();
  const events = await Array.fromAsync(log);
  same(events.slice(0, 4).map((event) => event.type), ["cached", "rendition", "gap", "started"]);
  same([events.length, events[3]!.n, events.at(-2)!.n, events.at(-1)!.type], [256, 9748, 9999, "succeeded"]);
});

Deno.test("a pause that is longer than any timer does not end at once", async () => {
  const stop = new AbortController();
  const long = pause(2 ** 31, stop.signal).then(() => "over", () => "aborted");
  // A timer that is too long would fire in front of this one.
  await pause(0.02);
  stop.abort();
  same(await long, "aborted");
});

Deno.test("readers of one log do not disturb each other", async () => {
  const log = new EventLog<{ readonly type: string }>(() => ({ type: "gap" }));
  const first = Array.fromAsync(log);
  log.push({ type: "a" });
  for await (const event of log) {
    same(event.type, "a");
    break;
  }
  log.push({ type: "b" });
  log.end();
  same(await first, [{ type: "a" }, { type: "b" }]);
});

Deno.test("turns let a number in, in order, and leave those out that give up", async () => {
  const turns = new Turns(1);
  const [none, gone] = [new AbortController(), new AbortController()];
  const leave = await turns.take(none.signal);
  const order: string[] = [];
  const second = turns.take(gone.signal).then(() => order.push("second"), () => order.push("gone"));
  const third = turns.take(none.signal).then((leave) => (order.push("third"), leave()));
  gone.abort();
  leave();
  leave();
  await Promise.all([second, third]);
  same(order, ["gone", "third"]);
  (await turns.take(none.signal))();
  // The time of a request counts while it waits.
  const last = await turns.take();
  await rejects(turns.take(none.signal, performance.now() + 20), { name: "deadlineExceeded" });
  last();
  (await turns.take(none.signal, performance.now() + 600_000))();
});

Deno.test("an id of a receipt is new each time, and one that the protocol takes", () => {
  const ids = Array.from({ length: 100 }, receiptID);
  same([new Set(ids).size, ids.every((id) => /^[0-9a-f]{32}$/.test(id))], [100, true]);
});

Deno.test("operations are those of the protocol", () => {
  same(resize(320, 200, { fit: "cover" }), { op: "resize", width: 320, height: 200, fit: "cover" });
  same(resize(320), { op: "resize", width: 320 });
  same(resize({ height: 200 }), { op: "resize", height: 200 });
  same(rotate(90, { expand: false }), { op: "rotate", angle: 90, expand: false });
  same(blur({ preset: "light" }), { op: "blur", preset: "light" });
});

// The key, the salt and the signature of the documentation of imgproxy.
const documented = { key: "736563726574", salt: "68656C6C6F" };

Deno.test("a signature is that of imgproxy's documentation", async () => {
  const path = "/rs:fill:300:400:0/g:sm/aHR0cDovL2V4YW1w/bGUuY29tL2ltYWdl/cy9jdXJpb3NpdHku/anBn.png";
  same(await new Signer(documented).signature(path), "oKfUtW34Dvo2BGQehJFR4Nr0_rIjOtdtzJ3QFsUcXH8");
});

Deno.test("URLs are those of two builders of other authors", async () => {
  const table = await Deno.readTextFile(new URL("../../../Tests/DoorTests/Fixtures/foreign.tsv", import.meta.url));
  const signer = new Signer(documented);
  let rows = 0;
  for (const line of table.trim().split("\n")) {
    const [, path] = line.split("\t");
    const [, signature, rest] = /^\/([^/]+)(\/.*)$/.exec(path!)!;
    same(await signer.signature(rest!), signature);
    rows++;
  }
  same(rows > 5, true);
});

Deno.test("options of a picture URL are those of imgproxy", () => {
  const source = "https://example.org/a.jpg";
  const end = "/aHR0cHM6Ly9leGFtcGxlLm9yZy9hLmpwZw";
  const rows: [Parameters<typeof picturePath>[1], string][] = [
    [{}, end],
    [{ width: 320 }, `/w:320${end}`],
    [{ height: 200, format: "webp" }, `/h:200${end}.webp`],
    [{ width: 320, height: 200, fit: "cover", gravity: "attention", quality: 80 }, `/rs:fill:320:200/g:sm/q:80${end}`],
    [{ width: 320, height: 200 }, `/rs:fit:320:200${end}`],
    [{ preset: ["thumb", "sharp"], dpr: 2, enlarge: true }, `/pr:thumb:sharp/el:1/dpr:2${end}`],
    [{ expires: new Date(1_800_000_000_999), cacheBuster: "v2", options: "/bl:3/" }, `/exp:1800000000/cb:v2/bl:3${end}`],
    [{ fallback: "https://example.org/b.png", format: "heif" }, `/fiu:aHR0cHM6Ly9leGFtcGxlLm9yZy9iLnBuZw${end}.heic`],
  ];
  for (const [options, path] of rows) same(picturePath(source, options), path);
});

Deno.test("a srcset has the shape of the picture", async () => {
  const set = await new Signer({ base: "https://p.example/" }).srcset("https://example.org/a.jpg", [160, 320], { width: 300, height: 200, fit: "cover" });
  same(
    set,
    "https://p.example/unsafe/rs:fill:160:107/aHR0cHM6Ly9leGFtcGxlLm9yZy9hLmpwZw 160w, https://p.example/unsafe/rs:fill:320:213/aHR0cHM6Ly9leGFtcGxlLm9yZy9hLmpwZw 320w",
  );
});

Deno.test("a key without a salt, or one that is not hexadecimal, is refused", () => {
  throws(() => new Signer({ key: "00" }), TypeError);
  throws(() => new Signer({ key: "0", salt: "00" }), TypeError);
  throws(() => new Signer({ key: "xy", salt: "00" }), TypeError);
});

Deno.test("a ThumbHash of one color is a picture of that color", () => {
  // By the form of the hash: the mean brightness and colors, then waves of no height.
  const [l, p, q] = [40, 32, 31];
  const first = l | p << 6 | q << 12;
  const hash = new Uint8Array(24).fill(0x88);
  hash.set([first & 255, first >> 8 & 255, first >> 16 & 255, 5, 0]);
  const { width, height, data } = thumbHashPicture(encode(hash));
  same([width, height], [23, 32]);
  const [a, b, c, alpha] = data;
  same([Math.abs(a! - 162) < 4, Math.abs(b! - 162) < 8, Math.abs(c! - 159) < 6, alpha], [true, true, true, 255], `${[a, b, c]}`);
});

Deno.test("what is no ThumbHash is refused", () => {
  for (const text of ["", "AAAA", "AAAAAAA="]) throws(() => thumbHashPicture(text), RangeError);
});
