import { deepStrictEqual as same, ok, rejects, throws } from "node:assert";
import { blur, resize, rotate, type TaskEvent, Tintype } from "../tintype.ts";
import { type Service, suite, until } from "./service.ts";

/** A busy machine has more time than the usual deadline. */
const defaults = { deadline: 300 };

/** A client over each transport, for each test. */
const clients: Record<string, (service: Service) => Tintype> = {
  TCP: (service) => new Tintype(service.tcp(), { http: service.http(), defaults }),
  HTTP: (service) => new Tintype(service.http(), { defaults }),
};

const tests: Record<string, (tintype: Tintype, service: Service) => Promise<void>> = {
  async "an image has the size and the format that were asked for, and its bytes"(tintype, service) {
    const image = await tintype.load(service.picture(), [resize(120, 120, { fit: "cover" }), rotate(90)], {
      format: "webp",
      quality: 70,
      describe: ["thumbhash"],
    });
    same([image.width, image.height, image.format, image.from, image.source.width], [120, 120, "webp", "remote", 240]);
    ok(image.thumbhash);
    const bytes = await image.bytes();
    same(bytes.length, image.rendition().size);
    same(new TextDecoder().decode(bytes.subarray(8, 12)), "WEBP");
    same((await image.blob()).type, "image/webp");
    same((await fetch(image.url!).then((answer) => answer.arrayBuffer())).byteLength, bytes.length);
  },

  async "several renditions need one download"(tintype, service) {
    const url = service.picture();
    const image = await tintype.load(url, undefined, {
      renditions: [{ name: "small", transform: [resize(20)], output: { format: "png" } }, {
        name: "blurred",
        transform: [blur({ sigma: 3 })],
        output: { format: "jpeg" },
      }],
    });
    same(image.renditions.map((one) => [one.name, one.format, one.width]), [["small", "png", 20], ["blurred", "jpeg", 240]]);
    same(await service.asked(url), 1);
    ok((await image.rendition("blurred").bytes()).length > 100);
    throws(() => image.rendition("none"), RangeError);
  },

  async "a task is awaited, and its events are read, in any order"(tintype, service) {
    const task = tintype.submit(service.picture("/slow/picture.png?size=900x700&rate=2000000"), [resize(100)], { progress: { interval: 0.02 }, tag: "mine" });
    const events: TaskEvent[] = [];
    for await (const event of task) events.push(event);
    const types = events.map((event) => event.type);
    ok(types.includes("progress") && types.includes("rendition"), `${types}`);
    same([types.at(-1), types.filter((type) => type === "succeeded").length, events.at(-1)!.tag], ["succeeded", 1, "mine"]);
    const image = await task;
    same([image.width, task.state], [100, "succeeded"]);
    // Who comes later gets what has happened.
    same((await Array.fromAsync(task)).at(-1)!.type, "succeeded");
    same((await task.get()).state, "succeeded");
  },

  async "previews arrive as pictures"(tintype, service) {
    const task = tintype.submit(service.picture("/slow/picture.png?size=900x700&rate=400000"), [resize(100)], {
      progressive: { interval: 0.05, width: 64 },
      progress: true,
    });
    let previews = 0;
    for await (const event of task) {
      if (event.type !== "preview") continue;
      previews++;
      same([event.data[0], event.data[1], event.width], [0xff, 0xd8, 64]);
    }
    // The picture of the origin is not interlaced, so there may be none: the shape of those that come counts.
    ok(previews >= 0);
    await task;
  },

  async "an abort gives a load up, with its reason, and the download ends"(tintype, service) {
    const url = service.picture("/hang");
    const stop = new AbortController();
    const load = tintype.load(url, undefined, { signal: stop.signal });
    await until("the download", async () => await service.asked(url) === 1);
    stop.abort(new Error("changed my mind"));
    await rejects(load, /changed my mind/);
    await until("the end of the download", async () => (await tintype.queue().get()).running === 0);
    await rejects(tintype.load(url, undefined, { signal: AbortSignal.abort() }), { name: "AbortError" });
  },

  async "defaults for an output leave renditions alone"(_, service) {
    await using tintype = new Tintype(service.tcp(), { defaults: { transform: [resize(20)], output: { format: "webp" } } });
    same((await tintype.load(service.picture())).width, 20);
    same((await tintype.load(service.picture(), undefined, { quality: 50 })).format, "webp");
    const named = await tintype.load(service.picture(), undefined, { renditions: [{ name: "a", transform: [resize(7)] }] });
    same([named.width, named.format], [7, "png"]);
  },

  async "a batch ends as Promise.allSettled does, and knows how far it is"(tintype, service) {
    const batch = tintype.batch([{ url: service.picture() }, { url: service.picture("/status/404") }], { mode: "settleAll" });
    same((await batch).map((one) => one.status), ["fulfilled", "rejected"]);
    same(batch.progress, { finished: 2, total: 2 });
    // Who awaits the end asks behind the last item, for none.
    same((await tintype.call("group.get", { group: await batch.group, from: 2, limit: 1, wait: 20 })).results, []);
  },

  async "a queue is configured and paused"(tintype) {
    const queue = tintype.queue(`q-${crypto.randomUUID()}`);
    await rejects(queue.get(), { name: "unknownQueue" });
    same((await queue.configure({ order: "lifo", maxConcurrentPerHost: 3 })).order, "lifo");
    same((await queue.pause()).paused, true);
    same((await queue.resume()).paused, false);
    same((await tintype.call("queue.list", {})).some((one) => one.name === queue.name), true);
  },

  async "the ends of a queue are watched"(tintype, service) {
    const events = tintype.queue().events();
    const first = events.next();
    // The watch is on its way: loads are sent until one of them is seen.
    let isSeen = false;
    const loads = (async () => {
      while (!isSeen) await tintype.load(service.picture("/picture.png?size=8x8"));
    })();
    const { value } = await first;
    isSeen = true;
    same(value!.type, "succeeded");
    await events.return();
    await loads;
  },

  async "dead letters are listed, retried and forgotten"(tintype, service) {
    const url = service.picture("/status/503");
    await rejects(tintype.load(url, undefined, { fetch: { retry: { attempts: 1 } } }), { name: "httpStatus", retryable: true });
    let found = 0;
    for await (const dead of tintype.queue().deadLetters()) {
      // The query of a URL may be a secret, so that nobody is shown it.
      if (!dead.url.startsWith(url.split("?")[0]!)) continue;
      found++;
      same([dead.failure.name, dead.attempts], ["httpStatus", 1]);
      same(await dead.remove(), true);
      same(await dead.retry(), false);
    }
    same(found, 1);
  },

  async "the caches are asked by key and by request"(tintype, service) {
    const key = `dot-${crypto.randomUUID()}`;
    same(await tintype.cache.get(key), undefined);
    const gif = Uint8Array.from(atob("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"), (letter) => letter.charCodeAt(0));
    same(await tintype.cache.put(key, gif, 60), key);
    const kept = await tintype.cache.get(key);
    same([kept?.format, kept?.width], ["gif", 1]);
    same(await kept!.bytes(), gif);
    ok((await tintype.cache.contains(key)).includes("results"));
    same(await tintype.cache.setMetadata(key, { author: "Ada" }), 1);
    same((await tintype.cache.remove(key)).removed > 0, true);
    same(await tintype.cache.contains(key), []);
    const request = { url: service.picture(), transform: [resize(16)] };
    await tintype.load(request.url, request.transform);
    same((await tintype.cache.get(request))?.width, 16);
    ok((await tintype.cache.stats("results")).results!.count > 0);
    same(typeof (await tintype.cache.purge({ url: request.url })).results, "number");
  },

  async "an upload is a source"(tintype) {
    const picture = await tintype.load("color:red,20x10", undefined, { format: "png" });
    const upload = await tintype.upload(await picture.bytes());
    same(upload.contentType, "image/png");
    const image = await tintype.load(upload.url, [resize(10)]);
    same([image.width, image.height], [10, 5]);
  },

  async "defaults are those of each request that says nothing else"(tintype, service) {
    await using strict = new Tintype(tintype.address, { defaults: { cache: { policy: "only" }, output: { format: "webp", quality: 50 } } });
    await rejects(strict.load(service.picture()), { name: "cacheMiss" });
    const image = await strict.load(service.picture(), undefined, { cache: {}, quality: 60 });
    same([image.format, image.result.renditions[0]!.quality], ["webp", 60]);
  },
};

const all: Record<string, (service: Service) => Promise<void>> = {};
for (const [kind, make] of Object.entries(clients)) {
  for (const [name, test] of Object.entries(tests)) {
    all[`${kind}: ${name}`] = async (service) => {
      const tintype = make(service);
      try {
        await test(tintype, service);
      } finally {
        tintype.close();
      }
    };
  }
}

suite({ workers: 1 }, {
  ...all,

  async "TCP alone brings bytes too"(service) {
    await using tintype = new Tintype(service.tcp());
    const image = await tintype.load(service.picture(), [resize(44)]);
    same([(await image.bytes()).length, image.url], [image.rendition().size, undefined]);
    await rejects(tintype.upload("bytes"), TypeError);
  },

  async "requests and their events name the caller's place in a trace"(service) {
    const trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    for (const url of [service.tcp(), service.http()]) {
      let place: Record<string, string> = {};
      await using tintype = new Tintype(url, { trace: () => place });
      const ids = async (task: AsyncIterable<TaskEvent>) => new Set((await Array.fromAsync(task)).map((event) => event.traceparent?.slice(3, 35)));
      place = { traceparent: `00-${trace}-00f067aa0ba902b7-01` };
      const task = tintype.submit(service.picture(), [resize(12)], { progress: true });
      // A task keeps the place in which it was made.
      place = {};
      same((await ids(task)).has(trace), true, url);
      same((await ids(tintype.submit(service.picture()))).has(trace), false, url);
    }
  },

  async "hooks come in their order, over TCP"(service) {
    await using tintype = new Tintype(service.tcp());
    const task = tintype.submit(service.picture(), [resize(12)], { hooks: true });
    const hooks = (await Array.fromAsync(task)).flatMap((event) => event.type === "hook" ? [event.hook] : []);
    // The last one follows the end.
    same(hooks, ["willStart", "willStop"]);
    await task;
  },
});
