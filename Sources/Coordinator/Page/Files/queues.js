// The queues: how much waits, their limits, and what an operator may do with them.
import { call } from "./api.js";
import { button, h, label } from "./dom.js";
import { dialog } from "./say.js";
import { table } from "./table.js";
import { count, seconds, some } from "./text.js";

export function queues(room) {
  const toggle = ({ name: queue, paused }) => room.act(async () => {
    await call(paused ? "queue.resume" : "queue.pause", { queue });
    return paused ? `The queue ${queue} goes on.` : `The queue ${queue} is paused. Running fetches go on.`;
  });
  const cancel = ({ name: queue, queued, delayed, running }) => room.act(async () => {
    await call("queue.cancelAll", { queue });
    return `All receipts of the queue ${queue} are cancelled.`;
  }, [`Cancel everything in ${queue}?`, `${some(queued + delayed + running, "fetch", "fetches")} and their receipts end.`, "Cancel all"]);
  const { node, show } = table("Queues", "name", "There is no queue.", [
    ["Queue", "name"], ["State", ({ paused }) => [paused ? "paused" : "open", paused], "mark"], ["Queued", "queued", count], ["Delayed", "delayed", count, "wide"],
    ["Running", "running", (value, { limits }) => `${count(value)} / ${count(limits.maxConcurrent)}`], ["Oldest", "oldestQueuedSeconds", (value) => seconds(value ?? NaN)],
    ["Dead letters", "dead", count, "wide"], ["A host at most", ({ limits }) => limits.maxConcurrentPerHost, count, "wide"], ["Throttled hosts", ({ heldHosts }) => Object.keys(heldHosts).length, count, "wide"],
    ["Order", "order", "text", "wide"], ["Workers", "workers", count, "wide"],
  ], [[({ paused }) => (paused ? "Resume" : "Pause"), toggle], ["Limits", (queue) => edit(room, queue)], ["Cancel all", cancel, "bad"]]);
  room.add(node, h("p.actions", button("New queue", () => edit(room, { limits: {} }))));
  room.every(2, "queue.list", {}, show);
}

/** Shows the limits of a queue, or of a new one, as a form. */
async function edit(room, { name, order, limits }) {
  const integer = (key, words) => label(words, h("input", { name: key, type: "number", min: 1, value: limits[key] ?? "" }));
  const hosts = h("textarea", { rows: 3, placeholder: "example.org 4", value: Object.entries(limits.hostLimits ?? {}).map((pair) => pair.join(" ")).join("\n") });
  const wanted = await dialog(name ? `Limits of ${name}` : "New queue", h("div.form",
    !name && label("Name", h("input", { name: "queue", required: true, pattern: "[A-Za-z0-9._\\-]{1,64}" })),
    label("Order of requests that name none", h("select", { name: "order" }, ["fifo", "lifo"].map((one) => h("option", { selected: one === order }, one)))),
    integer("maxConcurrent", "Running fetches at most"), integer("maxConcurrentPerHost", "Running fetches of one host at most"), integer("maxQueued", "Waiting fetches at most"),
    label("Limits of single hosts: a host and a number a line", hosts)), "Save");
  if (wanted) room.act(async () => {
    const { name: queue } = await call("queue.configure", { queue: name, ...wanted, hostLimits: hostLimits(hosts.value) });
    return `The limits of the queue ${queue} hold from the next claim on.`;
  });
}

/** Reads a host and its limit a line. Pure. */
export function hostLimits(text) {
  return Object.fromEntries(text.split("\n").map((line) => line.trim().toLowerCase().split(/[\s=]+/)).filter(([host]) => host).map(([host, limit]) => [host, Number(limit)]));
}
