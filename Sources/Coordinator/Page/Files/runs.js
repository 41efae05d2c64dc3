// The fetches that run now, each with its phase and progress.
import { table } from "./table.js";
import { bytes, count, seconds, words } from "./text.js";

export function running(room) {
  const { node, show } = table("Running fetches", "fetch", "No fetch runs at this moment.", [
    ["Source", "url"], ["Host", "host", "text", "wide"], ["Phase", ({ phase }) => words(phase)], ["", fraction, "bar"],
    ["Received", "received", (value, { expected }) => bytes(value || NaN) + (value && expected ? ` of ${bytes(expected)}` : "")],
    ["Runs for", "startedSeconds", seconds], ["Attempt", "attempt", count, "wide"], ["Receipts", "receipts", count, "wide"], ["Worker", "worker", "text", "wide"], ["Queue", "queue", "text", "wide"],
  ]);
  room.add(node);
  room.every(1, "runs.list", { limit: 200 }, ({ items }) => show(items));
}

/** Whether a pixel process has the fetch. */
export const isDrawing = ({ phase }) => ["decode", "transform", "encode"].includes(phase);

/** How much of a fetch is done, from 0 to 1; null where the origin gave no length. Pure. */
export function fraction({ phase, received, expected }) {
  if (phase === "download") return expected > 0 ? received / expected : null;
  return isDrawing({ phase }) || phase === "store" ? 1 : 0;
}
