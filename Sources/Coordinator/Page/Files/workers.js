// What works now: the running fetches with their progress, the workers with their pixel processes, and the hosts that they ask.
import { call } from "./api.js";
import { table } from "./table.js";
import { bytes, count, percent, seconds, words } from "./text.js";

const of = (most) => (value, item) => `${count(value)} / ${count(item[most])}`;

/** Whether a pixel process has the fetch. */
const isDrawing = ({ phase }) => ["decode", "transform", "encode"].includes(phase);

/** How much of a fetch is done, from 0 to 1; null where the origin gave no length. Pure. */
export function fraction({ phase, received, expected }) {
  if (phase === "download") return expected > 0 ? received / expected : null;
  return isDrawing({ phase }) || phase === "store" ? 1 : 0;
}

export function running(room) {
  const { node, show } = table("Running fetches", "fetch", "No fetch runs at this moment.", [
    ["Source", "url"], ["Phase", ({ phase }) => words(phase)], ["", fraction, "bar"],
    ["Received", "received", (value, { expected }) => bytes(value || NaN) + (value && expected ? ` of ${bytes(expected)}` : "")],
    ["Runs for", "startedSeconds", seconds], ["Attempt", "attempt", count, "wide"], ["Receipts", "receipts", count, "wide"], ["Worker", "worker", "text", "wide"], ["Queue", "queue", "text", "wide"],
  ]);
  room.add(node);
  room.every(1, "runs.list", { limit: 200 }, ({ items }) => show(items));
}

export function workers(room) {
  let runs = [];
  const quiet = ({ id: worker, state }) => room.act(async () => {
    await call("workers.quiet", { worker, quiet: state !== "quiet" });
    return state === "quiet" ? `The worker ${worker} claims fetches again.` : `The worker ${worker} claims nothing new. Its running fetches go on.`;
  });
  const draws = ({ id }) => runs.filter((run) => run.worker === id && isDrawing(run)).map(({ url }) => url.slice(0, 80)).slice(0, 3).join(" ");
  const { node, show } = table("Workers", "id", "No worker has a recent heartbeat: fetches wait until one starts.", [
    ["Worker", "id"], ["State", ({ state }) => [state, state !== "running"], "mark"], ["", ({ running, slots }) => running / slots, "bar"],
    ["Running", "running", of("slots")], ["Pixel processes", "busy", of("processes")],
    ["Wait for one", "waiting", count, "wide"], ["Memory", "rssBytes", bytes], ["Draws now", draws, "text", "wide"],
    ["Heard", "seenSeconds", (value) => `${seconds(value)} ago`, "wide"], ["Missing queues", ({ missingQueues = [] }) => missingQueues.join(", "), "text", "wide"],
  ], [[({ state }) => (state === "quiet" ? "Resume" : "Quiet"), quiet]]);
  room.add(node);
  room.every(1, "runs.list", { limit: 200 }, ({ items }) => (runs = items));
  room.every(1, "workers.list", {}, (items) => {
    const known = new Map(room.live.gauges?.workers.map((worker) => [worker.id, worker]));
    show(items.map((worker) => ({ ...known.get(worker.id)?.pixels, ...worker })));
  });
}

/** The table of hosts. */
export function hostTable() {
  const asked = ({ succeeded, failed }) => succeeded + failed;
  return table("Hosts", ({ queue, host }) => `${queue} ${host}`, "No host has been asked yet.", [
    ["Host", "host"], ["Queue", "queue", "text", "wide"], ["", ({ running, limit }) => running / limit, "bar"], ["Running", "running", of("limit")], ["Queued", "queued", count],
    ["Throttled for", ({ heldUntil }) => heldUntil - Date.now() / 1000, (left) => (left > 0 ? seconds(Math.ceil(left)) : "–")],
    ["Succeeded", "succeeded", count, "wide"], ["Failed", (host) => host.failed / asked(host), percent], ["From sources", (host) => host.sourceHits / asked(host), percent, "wide"],
    ["Downloaded", "bytes", bytes, "wide"], ["Blacklisted", "blacklisted", count, "wide"],
  ]);
}

export function hosts(room) {
  const { node, show } = hostTable();
  room.add(node);
  room.every(2, "hosts.list", { limit: 200 }, ({ items }) => show(items));
}
