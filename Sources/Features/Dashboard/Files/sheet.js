// A contact sheet: pictures in rows of one height. A click opens a picture beside its source.
import { call, imagePath, load } from "./api.js";
import { blur, blurhash, thumbhash } from "./blur.js";
import { button, dialog, h, image, lasting, write } from "./dom.js";
import { operations, outcome } from "./receipt.js";
import { bytes, percent, plain } from "./text.js";

/** @returns `{node, show(items)}`. A receipt has several renditions, and several receipts have one key. */
export function sheet(name) {
  const node = h("ul.sheet", { ariaLabel: name }), frames = lasting(node, ({ receipt, key }) => `${receipt} ${key}`, framed);
  return { node, show(items) {
    const waiting = frames(items).map(([, frame]) => frame).filter(({ picture }) => picture && !picture.src);
    for (const { picture, path } of within(waiting, 2e6)) picture.src = path;
  } };
}

/** The first pictures that have no more bytes together. A busy service has more new ones each second than anybody sees. Pure. */
export const within = (items, most) => items.filter(({ bytes }) => (most -= bytes) >= 0);

/** A sheet has a hundred pictures: one with more bytes is loaded when somebody opens it. */
const most = 250e3;

function framed(item) {
  const { key, url, format, blurhash: hash, thumbhash: other, color, width, height, bytes: made, sourceBytes } = item;
  // A lazy picture must be so before it has a source.
  const picture = made <= most && h("img", { loading: "lazy", decoding: "async", alt: "" });
  const words = `${format} ${bytes(made)}` + (sourceBytes > made ? ` −${percent(1 - made / sourceBytes)}` : "");
  const node = h("li", h("button", { type: "button", ariaLabel: `${plain(url)}, ${words}`, title: plain(url), click: () => open(item) }, h("span", blur(hash ? blurhash(hash) : thumbhash(other ?? "")), picture || h("em", "Press to load")), h("small", words)));
  // A wide picture gets more of its row.
  node.style.setProperty("--mean", color ?? "");
  node.style.setProperty("--ratio", Math.min(2.6, Math.max(0.55, width / height || 1)));
  return { node, picture, bytes: made, path: imagePath(key) };
}

/** Shows a picture beside its source. */
function open({ receipt, url, queue, sourceBytes, timings, ...made }) {
  dialog("Picture", outcome({ receipt, source: { url, bytes: sourceBytes }, renditions: [made], metrics: timings }, { before: h("figure", loaded(url, queue, made.key)), steps: operations(made.key) }));
}

/** A source as a picture. At first nothing but caches are asked, and a button asks the origin. @param key Of a result, if there is one. */
export function loaded(url, queue, key) {
  const place = h("div.none", "Loading…"), hidden = /\*{3}|…$/, end = new AbortController();
  const ask = async (policy) => {
    try {
      // A store knows the whole URL of a result, which no list shows.
      if (key && hidden.test(url)) ({ url } = (await call("cache.get", { key })).source);
      if (hidden.test(url)) return write(place, "The URL has a part that is not shown: the page cannot ask for it.");
      const { renditions } = await load({ url, queue, cache: { policy }, blacklist: "retry", transform: [{ op: "resize", width: 900, height: 900 }], output: { format: "webp" } }, end.signal);
      place.replaceChildren(image(imagePath(renditions[0].key), "The source"));
    } catch ({ name, message }) {
      place.replaceChildren(`${name}: ${plain(message, 400)}`, name === "cacheMiss" ? button("Ask the origin", () => ask("default")) : "");
    }
  };
  ask("only");
  // By then it is in its dialog. Behind a closed one, a slow origin would hold a connection of the browser.
  queueMicrotask(() => place.closest("dialog").addEventListener("close", () => end.abort()));
  return place;
}

/** The room of the newest results, as they come. */
export function pictures(room) {
  const { node, show } = sheet("The newest pictures first"), note = h("p.empty", "Loading…");
  room.add(note, node);
  // Pictures under the pointer stay in their place.
  room.every(2, "pictures.list", { limit: 100 }, ({ items }) => {
    write(note, items.length ? "" : "No picture has been made while somebody looked.");
    if (!node.matches(":hover, :has(:focus-visible)")) show(items);
  });
}
