// The places where one word leads: a URL, a receipt, a host, a tag or a key.
import { call, imagePath } from "./api.js";
import { facts, foreign, h, image, link, section } from "./dom.js";
import { sheet } from "./sheet.js";
import { hostTable } from "./workers.js";

/** The kinds of a word: a URL, or an id (of a receipt, or a key), a host, a tag. Pure. */
export function kinds(word) {
  if (/^[a-z][a-z0-9+.-]*:(\/\/|\D)/i.test(word)) return ["url"];
  const forms = { id: /^[\w.:-]{1,128}$/, host: /^[\p{L}\p{N}-]+(\.[\p{L}\p{N}-]+)+$/u, tag: /^[\w.~:/-]{1,128}$/ };
  return Object.keys(forms).filter((kind) => forms[kind].test(word));
}

/** A URL as lists show it: without the values of its query. Pure. */
export function masked(url) {
  const [, path, query] = url.match(/^([^?#]*)\??([^#]*)/);
  return path + (query && "?" + query.split("&").filter(Boolean).map((pair) => (pair.match(/^[^=]*=/) ?? "") + "***").join("&"));
}

/** A sheet of the results that a list has. */
async function pictures(title, params, isWanted = () => true) {
  const items = (await call("pictures.list", { limit: 400, ...params })).items.filter(isWanted), { node, show } = sheet(title);
  show(items);
  return items[0] && section(title, node);
}

const finders = {
  url: async (url) => [
    section("Source", facts(["Tiers", (await call("cache.contains", { url })).tiers.join(", ") || "none"], ["Playground", link("Try it", "playground", url)])),
    await pictures(masked(url) === url ? "Its newest results" : "Newest results, with any values in the query", {}, (one) => one.url === masked(url))],
  async id(id) {
    const [found, { tiers = [] }] = await Promise.all([call("receipt.get", { receipt: id }), call("cache.contains", { key: id })].map((asked) => asked.catch(() => ({}))));
    return [found.state && section("Receipt", facts([found.state, link(id, "receipt", id)])), tiers[0] && section("Result", facts(["Tiers", tiers.join(", ")]), image(imagePath(id)))];
  },
  async host(host, room) {
    const { items } = await call("hosts.list", { limit: 1000 }), own = items.filter((one) => one.host === host.toLowerCase()), { node, show } = hostTable(room);
    show(own);
    return [own[0] && node, await pictures("Newest results of the host", { host })];
  },
  tag: (tag) => pictures("Results with this tag", { tag }),
};

export async function search(room, word) {
  const place = h("div.room", { ariaLive: "polite" }, h("p.subject", foreign(word, 300)));
  room.add(place);
  const found = (await Promise.all(kinds(word).map((kind) => finders[kind](word, room).catch(({ message }) => h("p.empty", message))))).flat().filter(Boolean);
  place.append(...(found.length ? found : [h("p.empty", word ? "Nothing here has this name." : "Type a word above.")]));
}
