import { deepStrictEqual as same, ok, rejects } from "node:assert";
import { resize, type TaskEvent, Tintype, TintypeError } from "../tintype.ts";
import { type Program, Service, type ServiceOptions, until, Wire } from "./service.ts";

/** What a client sees of the faults of docs/faults.md, with real processes that are killed and stopped. */
function fault(name: string, options: ServiceOptions & { readonly isFast?: boolean }, test: (service: Service) => Promise<void>): void {
  Deno.test({
    name,
    // Most of them only by scripts/test --clients.
    ignore: !options.isFast && !Deno.env.get("TINTYPE_SLOW"),
    sanitizeOps: false,
    sanitizeResources: false,
    fn: async () => {
      const service = await Service.start(options);
      try {
        await test(service);
      } finally {
        await service.stop();
      }
    },
  });
}

/** The coordinator that a client uses. */
function used(service: Service, tintype: Tintype): Program {
  return service.coordinators.find((one) => [one.words.rpc, one.words.http].includes(new URL(tintype.address).host))!;
}

/** For sources that wait at a gate: a slow machine must not end their downloads. */
const patient = { deadline: 300, fetch: { timeouts: { idle: 120, total: 120 } } };

/** The addresses of all coordinators over one transport. */
const transports: Record<string, (service: Service) => string[]> = {
  TCP: (service) => service.coordinators.map((_, index) => service.tcp(index)),
  HTTP: (service) => service.coordinators.map((_, index) => service.http(index)),
};

for (const [kind, addresses] of Object.entries(transports)) {
  fault(
    `${kind}: a coordinator is killed in the middle of downloads: tasks are taken up at another one, and no origin is asked twice`,
    { coordinators: 2, isFast: true },
    async (service) => {
      await using tintype = new Tintype(addresses(service));
      const gate = crypto.randomUUID();
      const urls = Array.from({ length: 5 }, () => service.picture(`/picture.png?size=30x20&gate=${gate}`));
      const tasks = urls.map((url) => tintype.submit(url, [resize(10)], { ...patient, progress: true }));
      const events = tasks.map((task) => Array.fromAsync(task));
      for (const url of urls) await until("the download", async () => await service.asked(url) === 1);
      const killed = used(service, tintype);
      await killed.kill();
      // Another one has the tasks before their origins answer.
      await until("another coordinator", () => used(service, tintype) !== killed);
      for (const _ of urls) await service.open(gate);
      same((await Promise.all(tasks)).map((image) => image.width), urls.map(() => 10));
      for (const url of urls) same(await service.asked(url), 1);
      for (const list of await Promise.all(events)) {
        const ends = list.filter((event: TaskEvent) => ["succeeded", "failed", "cancelled"].includes(event.type));
        same(ends.length, 1, "one terminal event");
      }
    },
  );

  fault(`${kind}: loads that lose their coordinator are answered by another one, by the same download`, { coordinators: 2 }, async (service) => {
    await using tintype = new Tintype(addresses(service));
    const gate = crypto.randomUUID();
    const url = service.picture(`/picture.png?size=30x20&gate=${gate}`);
    const loads = Array.from({ length: 20 }, (_, index) => tintype.load(url, [resize(10 + index % 2)], patient));
    await until("the download", async () => await service.asked(url) === 1);
    const killed = used(service, tintype);
    await killed.kill();
    await until("another coordinator", () => used(service, tintype) !== killed);
    await service.open(gate);
    same(new Set((await Promise.all(loads)).map((image) => image.width)), new Set([10, 11]));
    same(await service.asked(url), 1);
  });

  fault(`${kind}: the only coordinator is killed and comes back: what waits goes on by itself`, { isFast: true }, async (service) => {
    await using tintype = new Tintype(addresses(service));
    await tintype.call("system.ping", {});
    const gate = crypto.randomUUID();
    const url = service.picture(`/picture.png?size=30x20&gate=${gate}`);
    const task = tintype.submit(url, [resize(10)], patient);
    await until("the download", async () => await service.asked(url) === 1);
    await service.coordinators[0]!.kill();
    // It is called while there is none.
    const load = tintype.load(service.picture(), [resize(12)], patient);
    await service.coordinator([], service.coordinators[0]);
    same((await load).width, 12);
    await service.open(gate);
    same((await task).width, 10);
    same(await service.asked(url), 1);
  });

  fault(`${kind}: a coordinator that stands still is left for another one`, { coordinators: 2 }, async (service) => {
    await using tintype = new Tintype(addresses(service), { heartbeat: 0.5 });
    const url = service.picture("/picture.png?size=30x20&delay=1");
    await tintype.call("system.ping", {});
    const frozen = used(service, tintype);
    const task = tintype.submit(url, [resize(10)], patient);
    await until("the download", async () => await service.asked(url) === 1);
    frozen.send("SIGSTOP");
    const load = tintype.load(service.picture(), [resize(12)], patient);
    same([(await load).width, (await task).width], [12, 10]);
    same(await service.asked(url), 1);
    ok(used(service, tintype) !== frozen);
    frozen.send("SIGCONT");
  });

  fault(`${kind}: a coordinator that stops is left, and no request is lost`, { coordinators: 2 }, async (service) => {
    await using tintype = new Tintype(addresses(service));
    await tintype.call("system.ping", {});
    const stopping = used(service, tintype);
    let count = 0;
    let isOver = false;
    const loads = Promise.all(Array.from({ length: 8 }, async () => {
      while (!isOver) same((await tintype.load(service.picture("/picture.png?size=9x9"), [resize(4)], patient)).width, (count++, 4));
    }));
    const over = (what: string, condition: () => boolean) => Promise.race([until(what, condition), loads]);
    await over("some loads", () => count > 20);
    const stopped = stopping.kill("SIGTERM");
    const before = count;
    await over("another coordinator", () => used(service, tintype) !== stopping);
    await over("more loads", () => count > before + 20);
    isOver = true;
    await loads;
    await stopped;
  });

  fault(`${kind}: a full queue lets clients wait as long as it says`, {}, async (service) => {
    await using tintype = new Tintype(addresses(service));
    const queue = tintype.queue("small");
    await queue.configure({ maxConcurrent: 1, maxQueued: 1 });
    const small = await service.worker(["--queues", "small"]);
    const gates = [1, 2, 3].map(() => crypto.randomUUID());
    const tasks: Promise<unknown>[] = [];
    for (const [index, gate] of gates.entries()) {
      tasks.push(tintype.load(service.picture(`/picture.png?size=9x9&gate=${gate}`), undefined, { ...patient, queue: "small" }));
      await until("its place", async () => {
        const { running, queued } = await queue.get();
        return running + queued >= Math.min(index + 1, 2);
      });
    }
    await rejects(
      tintype.load(service.picture(), undefined, { queue: "small", deadline: 0.001 }),
      (error) => error instanceof TintypeError && ["overloaded", "deadlineExceeded"].includes(error.name),
    );
    for (const gate of gates) await service.open(gate);
    await Promise.all(tasks);
    await small.kill("SIGTERM");
  });

  fault(`${kind}: a batch goes on when its coordinator is killed, and loads nothing twice`, { coordinators: 2 }, async (service) => {
    await using tintype = new Tintype(addresses(service));
    const urls = Array.from({ length: 12 }, () => service.picture("/picture.png?size=20x20&delay=0.3"));
    const batch = tintype.batch(urls.map((url) => ({ url, transform: [resize(8)] })), { concurrency: 3 });
    const seen: number[] = [];
    for await (const event of batch) {
      seen.push(event.index);
      if (seen.length === 3) await used(service, tintype).kill();
    }
    same(seen.toSorted((a, b) => a - b), urls.map((_, index) => index));
    same((await batch).map((image) => image.width), urls.map(() => 8));
    for (const url of urls) same(await service.asked(url), 1);
  });

  fault(`${kind}: a worker that is killed costs an attempt, and no answer`, {}, async (service) => {
    await using tintype = new Tintype(addresses(service));
    const url = service.picture("/slow/picture.png?size=600x400&rate=100000");
    const task = tintype.submit(url, [resize(10)], { ...patient, progress: { interval: 0.05 } });
    await until("some bytes", () => (task.progress?.receivedBytes ?? 0) > 0);
    await service.workers[0]!.kill();
    await service.worker();
    const image = await task;
    same([image.width, image.result.attempts], [10, 2]);
    const types = (await Array.fromAsync(task)).map((event) => event.type);
    ok(types.includes("retrying") && types.indexOf("retrying") < types.lastIndexOf("started"), `${types}`);
  });

  fault(`${kind}: a connection that is cut without a coordinator ends in an error in time`, {}, async (service) => {
    await using tintype = new Tintype(addresses(service));
    await tintype.call("system.ping", {});
    await service.coordinators[0]!.kill();
    await rejects(
      tintype.call("system.ping", {}, { timeout: 1 }),
      (error) => error instanceof TintypeError && ["connect", "connectionLost"].includes(error.name),
    );
    await rejects(tintype.call("chain.append", { group: "g", steps: [] }, { timeout: 1 }), (error) => {
      // Only over TCP it is known that nothing was sent.
      return error instanceof TintypeError && error.name === (kind === "HTTP" ? "connectionLost" : "connect") && error.phase === undefined;
    });
  });
}

for (const kind of ["tcp", "http"] as const) {
  fault(`${kind}: the network is cut in the middle of a download: it goes on, and each event comes once`, { isFast: true }, async (service) => {
    const wire = new Wire(service.coordinators[0]!.words[kind === "tcp" ? "rpc" : "http"]!);
    await using tintype = new Tintype(`${kind}://${wire.address}`);
    const gate = crypto.randomUUID();
    const url = service.picture(`/picture.png?size=30x20&gate=${gate}`);
    const task = tintype.submit(url, [resize(10)], { ...patient, progress: true });
    const types: string[] = [];
    const reading = (async () => {
      for await (const event of task) types.push(event.type);
    })();
    await until("the download", async () => await service.asked(url) === 1);
    await until("an event", () => types.length > 0);
    wire.cut();
    // What waits is sent again on a new connection.
    await tintype.call("system.ping", {});
    await service.open(gate);
    same((await task).width, 10);
    await reading;
    const count = (type: string) => types.filter((one) => one === type).length;
    same(await service.asked(url), 1);
    same([count("succeeded"), count("rendition")], [1, 1], `${types}`);
    ok(count("response") <= 1 && count("started") <= 1 && count("queued") <= 1 && count("state") <= 1, `${types}`);
    // A stream goes on behind its last event. A TCP connection cannot know what was lost with the one before.
    same(count("gap"), kind === "tcp" ? 1 : 0, `${types}`);
    wire.close();
  });
}

fault("a client that reads its events slowly keeps few of them, and gets the end", {}, async (service) => {
  await using tintype = new Tintype(service.http());
  const url = service.picture("/slow/picture.png?size=900x700&rate=2000000");
  const task = tintype.submit(url, [resize(100)], { ...patient, progress: { interval: 0.02, fraction: 0.001 } });
  const types: string[] = [];
  for await (const event of task) {
    types.push(event.type);
    if (types.length === 2) await task;
  }
  ok(types.filter((type) => type === "progress").length < 5, `${types}`);
  same(types.at(-1), "succeeded");
});
