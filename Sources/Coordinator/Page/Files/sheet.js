// A contact sheet: pictures in rows of one height. A click opens a picture beside its source.
import { call, imagePath } from "./api.js";
import { blur } from "./blur.js";
import { actions, button, dialog, h, image, write } from "./dom.js";
import { outcome } from "./receipt.js";
import { bytes, percent, plain } from "./text.js";

/** A receipt has several renditions, and several receipts have one key. */
const identity = ({ receipt, key }) => `${receipt} ${key}`;

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
  const { key, url, format, blurhash, width, height, bytes: made, sourceBytes } = item;
  const picture = h("img", { loading: "lazy", alt: "", load: () => picture.classList.add("shown") });
  // What is lazy must be so before it has a source.
  picture.src = imagePath(key);
  const words = `${format} ${bytes(made)}` + (sourceBytes > made ? ` −${percent(1 - made / sourceBytes)}` : "");
  const frame = h("li", h("button", { type: "button", ariaLabel: `${plain(url)}, ${words}`, title: plain(url), click: () => open(item) }, h("span", blurhash && blur(blurhash), picture), h("small", words)));
  // A wide picture gets more of its row.
  frame.style.setProperty("--ratio", Math.min(2.6, Math.max(0.55, width / height || 1)));
  return frame;
}

/** Shows a picture beside its source. */
function open({ receipt, url, queue, sourceBytes, timings, ...made }) {
  dialog("Picture", outcome({ receipt, source: { url, bytes: sourceBytes }, renditions: [made], metrics: timings }, h("figure", loaded(url, queue, "only"))));
}

/** A source as a picture. With the policy `only` nothing but caches are asked, and a button asks the origin. */
export function loaded(url, queue, policy) {
  const place = h("div.none", "Loading…");
  const ask = async (policy) => {
    try {
      const { renditions } = await call("image.load", { url, queue, cache: { policy }, blacklist: "retry", activity: false, transform: [{ op: "resize", width: 900, height: 900 }], output: { format: "webp" } });
      place.replaceChildren(image(renditions[0].url, "The source"));
    } catch ({ name, message }) {
      place.replaceChildren(`${name}: ${plain(message, 400)}`, name === "cacheMiss" ? button("Ask the origin", () => ask("default")) : "");
    }
  };
  if (url.includes("***")) write(place, "The URL has a part that is not shown: the page cannot ask for it.");
  else ask(policy);
  return place;
}

/** The room of the newest results, as they come. */
export function pictures(room) {
  const { node, show } = sheet("The newest pictures first"), note = h("p.empty", "Loading…");
  let items = [];
  const draw = (news) => {
    show((items = news.slice(0, 400)));
    write(note, items.length ? "" : "No picture has been made yet.");
  };
  const older = button("Older pictures", () => room.act(async () => draw(joined(items, (await call("pictures.list", { limit: 60, after: items.at(-1)?.receipt })).items))));
  room.add(note, node, actions(older));
  // What is looked at stays in its place.
  room.every(2, "pictures.list", { limit: 60 }, (news) => node.matches(":hover, :focus-within") || draw(joined(news.items, items).slice(0, Math.max(60, items.length))));
}

/** Both lists without repetitions, the first in front. Pure. */
export const joined = (first, second) => [...new Map([...first, ...second].map((item) => [identity(item), item])).values()];
