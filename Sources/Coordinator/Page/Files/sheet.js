// A contact sheet: pictures in rows of one height. A click opens a picture beside its source.
import { call } from "./api.js";
import { blur } from "./blur.js";
import { button, facts, foreign, h, image, imagePath, link } from "./dom.js";
import { waterfall } from "./phases.js";
import { dialog } from "./say.js";
import { bytes, clock, percent, plain } from "./text.js";

/** A receipt has several renditions, and several receipts have one key. */
export const identity = ({ receipt, key }) => `${receipt} ${key}`;

/** @returns `{node, show(items)}`. Pictures that are there stay: nothing is loaded twice. */
export function sheet(name) {
  const node = h("ul.sheet", { ariaLabel: name });
  let frames = new Map();
  return { node, show(items) {
    const kept = new Map(items.map((item) => [identity(item), frames.get(identity(item)) ?? framed(item)]));
    for (const [key, frame] of frames) if (!kept.has(key)) frame.remove();
    frames = kept;
    let next = node.firstChild;
    for (const frame of kept.values()) {
      if (frame === next) next = next.nextSibling;
      else node.insertBefore(frame, next);
    }
  } };
}

function framed(item) {
  const { key, url, format, blurhash, width, height } = item;
  const picture = h("img", { loading: "lazy", alt: "", load: () => picture.classList.add("shown") });
  // An image is asked for when `src` is set: it must be lazy before.
  picture.src = imagePath(key);
  const words = `${format} ${bytes(item.bytes)}` + (item.sourceBytes > item.bytes ? ` −${percent(1 - item.bytes / item.sourceBytes)}` : "");
  const frame = h("li", h("button", { type: "button", ariaLabel: `${plain(url)}, ${words}`, title: plain(url), click: () => opened(item) }, h("span", blurhash && blur(blurhash), picture), h("small", words)));
  // A wide picture gets more of its row.
  frame.style.setProperty("--ratio", Math.min(2.6, Math.max(0.55, width / height || 1)));
  return frame;
}

function opened({ receipt, url, queue, key, format, width, height, bytes: made, sourceBytes, finishedAt, timings }) {
  dialog("Picture", [h("div.beside", source(url, queue), h("figure", image(imagePath(key), "The result"), h("figcaption", "Result"))), facts(
    ["Source", foreign(url, 300)],
    ["Receipt", receipt && link(receipt, "receipt", receipt)],
    ["Result", `${format}, ${width} × ${height}, ${bytes(made)}`],
    ["Saved", sourceBytes && `${percent(1 - made / sourceBytes)} of ${bytes(sourceBytes)}`],
    ["Queue", foreign(queue)],
    ["Finished", clock(finishedAt)]), waterfall(timings)]);
}

/** To look at a picture asks the caches only. A button asks the origin. */
function source(url, queue) {
  const place = h("div.none", "Looking for the source…");
  const ask = async (policy) => {
    try {
      const { renditions } = await call("image.load", { url, queue, cache: { policy }, activity: false, transform: [{ op: "resize", width: 900, height: 900 }], output: { format: "webp" } });
      place.replaceChildren(image(renditions[0].url, "The source"));
    } catch ({ name, message }) {
      place.replaceChildren(plain(message, 300), name === "cacheMiss" ? button("Ask the origin", () => ask("default")) : "");
    }
  };
  ask("only");
  return h("figure", place, h("figcaption", "Source"));
}
