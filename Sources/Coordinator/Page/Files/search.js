// Where one word leads: a URL, a receipt, a host or a key.
import { call, imagePath } from "./api.js";
import { facts, foreign, h, image, link, section } from "./dom.js";
import { sheet } from "./sheet.js";
import { hostTable } from "./workers.js";

/** What a word can be: a URL, an id (of a receipt, or a key), a host. Pure. */
export function kinds(word) {
  if (/^[a-z][a-z0-9+.-]*:(\/\/|\D)/i.test(word)) return ["url"];
  return [/^[\w.:-]{1,128}$/.test(word) && "id", /^[\p{L}\p{N}-]+(\.[\p{L}\p{N}-]+)+$/u.test(word) && "host"].filter(Boolean);
}

const finders = {
  async url(url) {
    const [{ tiers }, { items }] = await Promise.all([call("cache.contains", { url }), call("pictures.list", { limit: 400 })]), made = sheet("Its newest results");
    made.show(items.filter((one) => one.url === url));
    return section("Source", facts(["Tiers", tiers.join(", ") || "none"], ["Playground", link("Try it", "playground", url)]), made.node);
  },
  async id(id) {
    const [found, { tiers = [] }] = await Promise.all([call("receipt.get", { receipt: id }), call("cache.contains", { key: id })].map((asked) => asked.catch(() => ({}))));
    return [found.state && section("Receipt", facts([found.state, link(id, "receipt", id)])), tiers[0] && section("Result", facts(["Tiers", tiers.join(", ")]), image(imagePath(id)))];
  },
  async host(host) {
    const { items } = await call("hosts.list", { limit: 1000 }), own = items.filter((one) => one.host === host.toLowerCase()), { node, show } = hostTable();
    show(own);
    return own.length && node;
  },
};

export async function search(room, word) {
  const place = h("div", { ariaLive: "polite" }, h("p.subject", foreign(word, 300)));
  room.add(place);
  const found = (await Promise.all(kinds(word).map((kind) => finders[kind](word).catch(({ message }) => h("p.empty", message))))).flat().filter(Boolean);
  place.append(...(found.length ? found : [h("p.empty", word ? "Nothing here has this name." : "Type a URL, a receipt, a host or a key into the field above.")]));
}
