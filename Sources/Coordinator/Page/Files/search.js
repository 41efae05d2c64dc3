// Where one word leads: a URL, a receipt, a host or a key.
import { call } from "./api.js";
import { button, facts, foreign, h, image, imagePath, link, section } from "./dom.js";
import { sheet } from "./sheet.js";
import { count, percent, seconds, some } from "./text.js";

/** What a word can be: a URL, an id (of a receipt, or a key), a host. Pure. */
export function kinds(word) {
  if (/^[a-z][a-z0-9+.-]*:(\/\/|\D)/i.test(word)) return ["url"];
  return [/^[\w.:-]{1,128}$/.test(word) && "id", /^[\p{L}\p{N}.-]+$/u.test(word) && word.includes(".") && "host"].filter(Boolean);
}

const finders = {
  async url(url, room) {
    const [{ tiers }, black, { items }, runs] = await Promise.all([call("cache.contains", { url }), call("blacklist.list", { limit: 1000 }), call("pictures.list", { limit: 400 }), call("runs.list", { limit: 200 })]);
    const own = (one) => one.url === url, entry = black.items.find(own), run = runs.items.find(own), made = sheet("Its newest results");
    made.show(items.filter(own));
    return section("Source", facts(["Tiers", tiers.join(", ") || "none"], ["Blacklisted", entry ? `${entry.cause}, for ${seconds(entry.until - Date.now() / 1000)}` : "no"], ["Runs now", run ? `${run.phase}, at ${run.worker}` : "no"]),
      h("p.actions", h("a", { href: "#/playground/" + encodeURIComponent(url) }, "Try it in the playground"), button("Purge", () => room.act(async () => {
        const { results, sources } = await call("cache.purge", { url });
        return `${some(results, "result")} and ${some(sources, "source")} purged.`;
      }), "bad")), made.node);
  },
  async id(id) {
    const found = await call("receipt.get", { receipt: id }).catch(() => null), { tiers } = await call("cache.contains", { key: id }).catch(() => ({ tiers: [] }));
    return [found && section("Receipt", h("p", link(id, "receipt", id), ` is ${found.state}.`)), tiers.length > 0 && section("Result", facts(["Tiers", tiers.join(", ")]), image(imagePath(id), "The result"))];
  },
  async host(host) {
    const { items } = await call("hosts.list", { limit: 1000 });
    return items.filter((one) => one.host === host.toLowerCase()).map(({ queue, running, limit, queued, failed, succeeded, blacklisted }) => section(`Host in the queue ${queue}`,
      facts(["Running", `${running} of ${limit}`], ["Queued", count(queued)], ["Failed", percent(failed / (succeeded + failed))], ["Blacklisted", count(blacklisted)])));
  },
};

export async function search(room, word) {
  const place = h("div", { ariaLive: "polite" }, h("p.subject", foreign(word, 300)));
  room.add(place);
  const found = word && (await Promise.all(kinds(word).map((kind) => finders[kind](word, room).catch(({ message }) => h("p.empty", message))))).flat().filter(Boolean);
  place.append(...(found.length ? found : [h("p.empty", word ? "Nothing here has this name. A receipt is known for 24 hours after its end." : "Type a URL, the id of a receipt, a host, or the key of a result into the field above.")]));
}
