// The running fetches with their progress, the workers with their pixel processes, and the hosts that they ask.
import { call } from "./api.js";
import { edit } from "./queues.js";
import { table } from "./table.js";
import { bytes, count, percent, seconds, words } from "./text.js";

const of = (most) => (value, item) => `${count(value)} / ${count(item[most])}`;

/** Whether a pixel process has the fetch. */
const isDrawing = ({ phase }) => ["decode", "transform", "encode"].includes(phase);

/** How much of a fetch is done, from 0 to 1; null where the origin gave no length. Pure. */
export function fraction({ phase, receivedBytes, expectedBytes }) {
  if (phase === "download") return expectedBytes > 0 ? receivedBytes / expectedBytes : null;
  return isDrawing({ phase }) || phase === "store" ? 1 : 0;
}

export function running(room) {
  const { node, show } = table("Running fetches", "fetch", "No fetch runs at this moment.", [
    ["Source", "url"], ["Phase", ({ phase }) => words(phase)], ["", fraction, "bar"],
    ["Received", "receivedBytes", (value, { expectedBytes: all }) => bytes(value || NaN) + (value && all ? ` of ${bytes(all)}` : ""), "wide"],
    ["Runs for", "startedSeconds", seconds], ["Attempt", "attempt", count, "wide"], ["Worker", "worker", "text", "wide"], ["Queue", "queue", "text", "wide"],
  ]);
  room.add(node);
  room.every(1, "runs.list", { limit: 200 }, ({ items }) => show(items));
}

export function workers(room) {
  let runs = [];
  // A worker tells its state with its next heartbeat.
  const asked = new Map(), ours = ({ id, state }) => (state === asked.get(id) || !/^(running|quiet)$/.test(state) ? (asked.delete(id), state) : asked.get(id) ?? state);
  const quiet = ({ id: worker, state }) => room.act(async () => {
    await call("workers.quiet", { worker, quiet: state !== "quiet" });
    asked.set(worker, state === "quiet" ? "running" : "quiet");
    draw(room.live);
    return state === "quiet" ? `The worker ${worker} claims fetches again.` : `The worker ${worker} claims nothing new. Its running fetches go on.`;
  });
  const draws = ({ id }) => runs.filter((run) => run.worker === id && isDrawing(run)).map(({ url }) => url.slice(0, 80)).slice(0, 3).join(" ");
  const { node, show } = table("Workers", "id", "No worker has a recent heartbeat: fetches wait until one starts.", [
    ["Worker", "id"], ["State", ({ state, missingQueues: none }) => [none ? `${state}, no queue ${none}` : state, none || state !== "running"], "mark"], ["", ({ running, slots }) => running / slots, "bar"],
    ["Running", "running", of("slots")], ["Pixel processes", "busy", of("processes")],
    ["Wait for one", "waiting", count, "wide"], ["Memory", "rssBytes", bytes], ["Draws now", draws, "text", "wide"],
    ["Heard", "seenSeconds", (value) => `${seconds(value)} ago`, "wide"],
  ], [[({ state }) => (state === "quiet" ? "Resume" : "Quiet"), quiet]]);
  room.add(node);
  room.every(1, "runs.list", { limit: 200 }, ({ items }) => (runs = items));
  const draw = ({ gauges }) => show(gauges.workers.map((worker) => ({ ...worker, ...worker.pixels, state: ours(worker) })));
  room.hear(draw);
}

/** The table of hosts, whose hit rates come from the newest pictures. */
export function hostTable(room) {
  const hits = new Map(), change = async ({ queue, host, limit }) => edit(room, await call("queue.get", { queue }), { [host]: limit });
  const { node, show } = table("Hosts", ({ queue, host }) => `${queue} ${host}`, "No host has been asked yet.", [
    ["Host", "host"], ["Queue", "queue", "text", "wide"], ["", ({ running, limit }) => running / limit, "bar"], ["Running", "running", of("limit")],
    ["Throttled for", ({ heldUntil }) => heldUntil - Date.now() / 1000, (left) => (left > 0 ? seconds(Math.ceil(left)) : "–")],
    ["Failures", "failed", count], ["From caches", ({ host }) => hits.get(host), percent],
  ], [["Limit", change]]);
  room.every(10, "pictures.list", { limit: 400 }, ({ items }) => {
    for (const [host, ends] of Object.entries(Object.groupBy(items, ({ host }) => host))) hits.set(host, ends.filter(({ from }) => from !== "remote").length / ends.length);
  });
  return { node, show };
}

export function hosts(room) {
  const { node, show } = hostTable(room);
  room.add(node);
  room.every(2, "hosts.list", { limit: 200 }, ({ items }) => show(items));
}
