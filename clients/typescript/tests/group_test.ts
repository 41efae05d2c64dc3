import { deepStrictEqual as same, rejects } from "node:assert";
import type { GroupItem, GroupState } from "../src/answers.ts";
import { type GroupEvent, type GroupHost, GroupTask } from "../src/group.ts";
import type { LoadedImage } from "../src/image.ts";

/** A group of the service without the service. */
class Group implements GroupHost {
  /** How many items the answers had, and how many images were made of them. */
  sent = 0;
  made = 0;
  calls: string[] = [];
  state: GroupState["state"] = "running";
  failed?: GroupState["failed"];
  /** Called in front of each answer, with its number and its first item. */
  before: (call: number, from: number) => void = () => {};

  constructor(readonly items: GroupItem["state"][]) {}

  image(): LoadedImage {
    this.made++;
    return {} as LoadedImage;
  }

  call(method: string, params: object, _seconds: number, signal?: AbortSignal): Promise<unknown> {
    signal?.throwIfAborted();
    if (method === "group.cancel") this.state = "cancelled";
    const { from, limit } = params as { from: number; limit: number };
    this.before(this.calls.push(method), from);
    const results = this.items.slice(from, from + limit).map((state, index) => ({
      index: from + index,
      state,
      ...state === "succeeded" ? { result: {} } : {},
    }));
    this.sent += results.length;
    const finished = this.items.filter((state) => state === "succeeded").length;
    const next = from + limit < this.items.length ? { next: from + limit } : {};
    return Promise.resolve({
      group: "g",
      kind: "batch",
      state: this.state,
      finished,
      total: this.items.length,
      results,
      ...next,
      ...this.failed ? { failed: this.failed } : {},
    });
  }

  task(signal?: AbortSignal): GroupTask<readonly (GroupEvent | undefined)[]> {
    return new GroupTask(this, () => Promise.resolve("g"), this.items.length, (_, items) => items, signal);
  }
}

const group = (total: number, state: GroupItem["state"] = "succeeded") => new Group(Array.from({ length: total }, () => state));

Deno.test("a slow loop over a large group keeps one page of it", async () => {
  const all = group(10_000);
  all.state = "succeeded";
  let count = 0;
  for await (const event of all.task()) {
    same(event.index, count++);
    if (count === 3) {
      same([all.sent, all.made], [128, 3]);
      // Other work goes on, and nothing is read meanwhile.
      await new Promise((resolve) => setTimeout(resolve, 0));
      same([all.sent, all.made], [128, 3]);
    }
  }
  same([count, all.sent, all.made], [10_000, 10_000, 10_000]);
});

for (const order of ["from the second on", "from the last on"]) {
  Deno.test(`items that end ${order}, the first one last: each is told once, and those that were told are hardly read again`, async () => {
    const all = group(10_000, "queued");
    const open = Array.from({ length: 9999 }, (_, index) => index + 1);
    if (order === "from the second on") open.reverse();
    all.before = (_, from) => {
      // A hundred end between two looks.
      for (let n = 0; n < 100 && from === 0 && open.length; n++) all.items[open.pop()!] = "succeeded";
    };
    const seen: number[] = [];
    for await (const event of all.task()) {
      seen.push(event.index);
      if (seen.length !== 9999) continue;
      // All others are told while the first one is open.
      same([all.state, seen.includes(0)], ["running", false]);
      [all.items[0], all.state] = ["succeeded", "succeeded"];
    }
    same([seen.length, new Set(seen).size, seen.at(-1)], [10_000, 10_000, 0]);
    // The service begins items in their order, so that few that have ended lie far behind an open one.
    if (order === "from the second on") same(all.sent < 30_000, true, `${all.sent}`);
  });
}

Deno.test("who awaits a group has all items in order, and asks for none before the end", async () => {
  const all = group(1200);
  all.before = (call) => {
    if (call === 3) all.state = "succeeded";
  };
  const task = all.task();
  same((await task).map((event) => event?.index), all.items.map((_, index) => index));
  same([all.sent, all.made, task.progress], [1700, 1200, { finished: 1200, total: 1200 }]);
  await task;
  same(all.made, 1200);
});

Deno.test("a group that nobody reads is not read", async () => {
  const all = group(10);
  await all.task().group;
  same(all.calls, []);
});

Deno.test("a failed item is an event of the loop, and a cancelled group is an exception", async () => {
  const failed = group(3, "failed");
  [failed.state, failed.failed] = [
    "failed",
    { index: 1, error: { code: 1010, message: "no", data: { name: "httpStatus", message: "no" } } } as GroupState["failed"],
  ];
  const events = await Array.fromAsync(failed.task());
  same(events.map((event) => event.type), ["failed", "failed", "failed"]);
  await rejects(failed.task().ended, { name: "httpStatus", message: "item 1: no" });
  const cancelled = group(2, "cancelled");
  cancelled.state = "cancelled";
  await rejects(Array.fromAsync(cancelled.task()), { name: "cancelled" });
});

Deno.test("a signal cancels the group though nobody reads it, until it has ended", async () => {
  const [open, over] = [group(2, "running"), group(2)];
  over.state = "succeeded";
  const stop = new AbortController();
  const [first, second] = [open.task(stop.signal), over.task(stop.signal)];
  await second;
  stop.abort(new Error("enough"));
  await rejects(first.ended, /enough/);
  await rejects(Array.fromAsync(first), /enough/);
  same([open.calls, over.calls], [["group.cancel"], ["group.get"]]);
});
