// The hosts: how many of their fetches run and may, which are throttled, how often they fail.
import { call } from "./api.js";
import { filter, fits, h, label } from "./dom.js";
import { dialog } from "./say.js";
import { table } from "./table.js";
import { bytes, count, percent, plain, seconds } from "./text.js";

export function hosts(room) {
  let all = [];
  const asked = ({ succeeded, failed }) => succeeded + failed;
  const { node, show } = table("Hosts", ({ queue, host }) => `${queue} ${host}`, "No host has been asked yet.", [
    ["Host", "host"], ["Queue", "queue", "text", "wide"], ["", ({ running, limit }) => running / limit, "bar"],
    ["Running", "running", (value, { limit }) => `${count(value)} / ${count(limit)}`], ["Queued", "queued", count],
    ["Throttled for", ({ heldUntil }) => heldUntil - Date.now() / 1000, (left) => (left > 0 ? seconds(Math.ceil(left)) : "–")],
    ["Succeeded", "succeeded", count, "wide"], ["Failed", (host) => host.failed / asked(host), percent], ["From sources", (host) => host.sourceHits / asked(host), percent, "wide"],
    ["Downloaded", "bytes", bytes, "wide"], ["Blacklisted", "blacklisted", count, "wide"],
  ], [["Limit", (host) => edit(room, host)]]);
  const draw = () => show(all.filter(({ host }) => fits(word, host))), word = filter(draw);
  room.add(word, node);
  room.every(2, "hosts.list", { limit: 200 }, ({ items }) => {
    all = items;
    draw();
  });
}

/** Asks for the limit of one host. The map of a queue's limits is replaced whole. */
async function edit(room, { host, queue, limit }) {
  const wanted = await dialog(`Limit of ${plain(host, 60)}`, label("Running fetches at most", h("input", { name: "limit", type: "number", min: 1, max: 100000, value: limit, required: true })), "Save");
  if (wanted) room.act(async () => {
    const { limits } = await call("queue.get", { queue });
    await call("queue.configure", { queue, hostLimits: { ...limits.hostLimits, [host]: wanted.limit } });
    return `At most ${wanted.limit} fetches of ${host} run from the next claim on.`;
  });
}
