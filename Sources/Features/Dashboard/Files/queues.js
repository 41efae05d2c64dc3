// The queues: how much waits, their limits, and what an operator may do with them.
import { call } from "./api.js";
import { dialog, h, label } from "./dom.js";
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
  }, [`Cancel everything in ${queue}?`, `The receipts of ${some(queued + delayed + running, "fetch", "fetches")} end.`, "Cancel all"]);
  const { node, show } = table("Queues", "name", "There is no queue.", [
    ["Queue", "name"], ["State", ({ paused }) => [paused ? "paused" : "open", paused], "mark"], ["Queued", "queued", count], ["Delayed", "delayed", count, "wide"],
    ["Running", "running", (value, { limits }) => `${count(value)} / ${count(limits.maxConcurrent)}`], ["Oldest", "oldestQueuedSeconds", seconds],
    ["Dead letters", "dead", count, "wide"], ["A host at most", ({ limits }) => limits.maxConcurrentPerHost, count, "wide"],
    ["Order", "order", "text", "wide"], ["Workers", "workers", count, "wide"],
  ], [[({ paused }) => (paused ? "Resume" : "Pause"), toggle], ["Limits", (queue) => edit(room, queue)], ["Cancel all", cancel, "bad"]]);
  room.add(node);
  room.every(2, "queue.list", {}, show);
}

/** Shows the limits of a queue as a form. @param more Limits of hosts to begin with. */
export async function edit(room, { name: queue, order, limits: { hostLimits, ...limits } }, more) {
  const fields = { maxConcurrent: "Running fetches at most", maxConcurrentPerHost: "Running fetches of one host at most", maxQueued: "Waiting fetches at most" };
  const hosts = Object.entries({ ...more, ...hostLimits }).map((pair) => pair.join(" ")).join("\n");
  const wanted = await dialog(`Limits of ${queue}`, h("div.form",
    label("Order of requests that name none", h("select", { name: "order" }, ["fifo", "lifo"].map((one) => h("option", { selected: one === order }, one)))),
    Object.entries(fields).map(([name, text]) => label(text, h("input", { name, type: "number", min: 1, value: limits[name] }))),
    label("Limits of single hosts: a host and a number a line", h("textarea", { name: "hosts", rows: 3, value: hosts }))), "Save");
  if (wanted) room.act(async () => {
    const { order, hosts = "", ...numbers } = wanted;
    for (const field in numbers) numbers[field] = Number(numbers[field]);
    await call("queue.configure", { queue, order, ...numbers, hostLimits: limitsOf(hosts) });
    return `The limits of the queue ${queue} hold from the next claim on.`;
  });
}

/** Reads a host and its limit a line. Pure. @throws For another line: its host would lose its limit. */
export const limitsOf = (text) => Object.fromEntries(text.toLowerCase().split("\n").filter((line) => line.trim()).map((line) => {
  const [, host, limit] = line.match(/^\s*(\S+?)[\s=:]+(\d+)\s*$/) ?? [];
  if (!host) throw new Error(`A line needs a host and a number: ${line}. Nothing is changed.`);
  return [host, Number(limit)];
}));
