import { deepStrictEqual as same } from "node:assert";

// A browser of values: the tests move its clock, its frames and its network.
const streams = [], frames = [], waits = [], timers = new Map(), asked = [];

class Stream extends EventTarget {
  static OPEN = 1;
  static CLOSED = 2;
  readyState = 1;

  constructor(path) {
    super();
    streams.push(Object.assign(this, { path }));
  }

  close() {
    this.readyState = 2;
  }

  stats(time) {
    this.dispatchEvent(new MessageEvent("stats", { data: JSON.stringify({ time, seconds: 1, counts: { submits: 1 }, phases: {}, coordinators: 1, queues: [], workers: [] }) }));
  }
}

const document = Object.assign(new EventTarget(), { hidden: false });
Object.assign(globalThis, {
  document, EventSource: Stream, requestAnimationFrame: (draw) => frames.push(draw), setTimeout: (work) => waits.push(work),
  setInterval: (work) => (timers.set(timers.size + 1, work), timers.size), clearInterval: (id) => timers.delete(id),
  fetch: async (_, { body }) => (asked.push(JSON.parse(body)), Response.json({ result: { step: 1, bounds: [1], points: [] } })),
});
const { Live } = await import("../../Sources/Features/Dashboard/Files/live.js");

function seen(isSeen) {
  document.hidden = !isSeen;
  document.dispatchEvent(new Event("visibilitychange"));
}

const open = () => streams.filter(({ readyState }) => readyState === Stream.OPEN);
const frame = () => frames.splice(0).forEach((draw) => draw());
const wait = () => waits.splice(0).forEach((work) => work());

Deno.test("of 200 events a second, the rooms draw five times in 60 frames", () => {
  const live = new Live();
  let drawn = 0, busy = 0;
  live.addEventListener("second", () => drawn++);
  live.open();
  for (let at = 0; at < 60; at++) {
    for (let one = 0; one < (at % 3 ? 3 : 4); one++) open().at(-1).stats(1000 + at);
    same(waits.length, 1);
    // 200 ms are twelve frames.
    if (at % 12 === 11) wait();
    busy += frames.length;
    frame();
  }
  same([drawn, busy, live.fine.newest, live.fine.rates(({ submits }) => submits, 2)], [5, 5, 1059, [1, 1]]);
  wait();
  frame();
  same(drawn, 5);
  live.refuse();
});

Deno.test("a stream from which nothing comes is opened anew, and the page says so", () => {
  const live = new Live(), now = Date.now;
  let drawn = 0;
  live.addEventListener("second", () => drawn++);
  live.open();
  open()[0].stats(3000);
  wait();
  frame();
  const [first] = open(), tick = () => [...timers.values()].at(-1)();
  Date.now = () => now() + 9e3;
  tick();
  same([open().length, open()[0] === first, live.isOpen], [1, true, true]);
  Date.now = () => now() + 11e3;
  tick();
  same([first.readyState, open().length, open()[0] === first], [Stream.CLOSED, 1, false]);
  open()[0].readyState = 0;
  wait();
  frame();
  same([drawn, live.isOpen], [2, false]);
  // The new stream has as much time again.
  tick();
  same(open().length + streams.filter(({ readyState }) => readyState === 0).length, 1);
  Date.now = now;
  live.refuse();
});

Deno.test("a tab that nobody sees has no stream, no timer and no question, and asks for the missed time later", () => {
  seen(false);
  const live = new Live();
  live.open();
  same([open().length, timers.size], [0, 0]);
  seen(true);
  same([open().length, timers.size], [1, 1]);
  open()[0].stats(5000);
  wait();
  frame();
  asked.length = 0;
  seen(false);
  same([open().length, timers.size, waits.length, frames.length, asked.length], [0, 0, 0, 0, 0]);
  seen(true);
  open()[0].onopen();
  same(asked.map(({ params }) => params), [{ step: 1, since: 5000 }, { step: 60, since: 0 }]);
  live.refuse();
  seen(false);
  seen(true);
  same([open().length, timers.size], [0, 0]);
});

Deno.test("a clock that is put back begins another past", () => {
  const live = new Live();
  live.open();
  open()[0].stats(9000);
  open()[0].stats(8998);
  same(live.fine.newest, 9000);
  asked.length = 0;
  open()[0].stats(7000);
  same([live.fine.newest, asked.map(({ params }) => params.since)], [7000, [0, 0]]);
  live.refuse();
});
