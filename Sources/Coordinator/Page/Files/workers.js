// The workers: their fetches, their pixel processes and what these draw, their memory.
import { call } from "./api.js";
import { isDrawing } from "./runs.js";
import { table } from "./table.js";
import { bytes, count, seconds } from "./text.js";

export function workers(room) {
  let runs = [];
  const quiet = ({ id: worker, state }) => room.act(async () => {
    await call("workers.quiet", { worker, quiet: state !== "quiet" });
    return state === "quiet" ? `The worker ${worker} claims fetches again.` : `The worker ${worker} claims nothing new. Its running fetches go on.`;
  });
  const draws = ({ id }) => runs.filter((run) => run.worker === id && isDrawing(run)).map(({ url }) => url.slice(0, 80)).slice(0, 3).join(" ");
  const { node, show } = table("Workers", "id", "No worker has a recent heartbeat: fetches wait until one starts.", [
    ["Worker", "id"], ["State", ({ state }) => [state, state !== "running"], "mark"], ["", ({ running, slots }) => running / slots, "bar"],
    ["Running", "running", (value, { slots }) => `${count(value)} / ${count(slots)}`], ["Pixel processes", ({ pixels }) => pixels?.busy, (value, { pixels }) => (pixels ? `${value} / ${pixels.processes}` : "–")],
    ["Wait for one", ({ pixels }) => pixels?.waiting, count, "wide"], ["Memory", "rssBytes", bytes], ["Draws now", draws, "text", "wide"], ["Host", "host", "text", "wide"],
    ["Heard", "seenSeconds", (value) => `${seconds(value)} ago`, "wide"], ["Missing queues", ({ missingQueues = [] }) => missingQueues.join(", "), "text", "wide"],
  ], [[({ state }) => (state === "quiet" ? "Resume" : "Quiet"), quiet]]);
  room.add(node);
  room.every(1, "runs.list", { limit: 200 }, ({ items }) => (runs = items));
  room.every(1, "workers.list", {}, (items) => {
    const known = new Map(room.live.gauges?.workers.map((worker) => [worker.id, worker]));
    show(items.map((worker) => ({ ...known.get(worker.id), ...worker })));
  });
}
