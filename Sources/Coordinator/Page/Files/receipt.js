// One request, from its admission to its delivery.
import { call } from "./api.js";
import { button, facts, foreign, h, image, section, write } from "./dom.js";
import { nextFrame } from "./live.js";
import { waterfall } from "./phases.js";
import { fill } from "./table.js";
import { bytes, clock, percent, seconds, words } from "./text.js";

const ends = ["succeeded", "failed", "cancelled"], most = 200;
const types = ["queued", "started", "response", "progress", "cached", "rendition", "retrying", "paused", "resumed", ...ends];

export function receipt(room, id) {
  let state, stream, waiting = [];
  const view = h("div"), log = h("ol.log"), bar = h("span.bar", h("i")), far = h("span"), progress = h("p.progress", bar, far);
  const change = (method, more, done) => room.act(async () => {
    await call(method, { receipt: id, ...more });
    return `The receipt ${done}.`;
  });
  const pause = button("Pause", () => (state === "paused" ? change("receipt.resume", {}, "goes on") : change("receipt.pause", {}, "is paused")));
  const buttons = h("p.actions", button("Cancel", () => change("receipt.cancel", {}, "is cancelled"), "bad"), pause,
    ["high", "normal", "low"].map((priority) => button(`Priority ${priority}`, () => change("receipt.setPriority", { priority }, `has the priority ${priority}`))));

  // A stream may bring hundreds of events a second: they are written once a frame.
  const hear = ({ type, data }) => {
    waiting.push({ type, ...JSON.parse(data) });
    nextFrame(log, () => {
      const news = waiting.splice(0), latest = news.findLast(({ type }) => type === "progress");
      if (latest) {
        fill(bar, latest.fraction);
        write(far, `${words(latest.phase)} ${latest.receivedBytes >= 0 ? bytes(latest.receivedBytes) : ""}`);
      }
      log.append(...news.filter((one) => one !== latest && one.type !== "progress").slice(-most).map(line));
      while (log.childElementCount > most) log.firstChild.remove();
    });
  };
  room.add(h("p.subject", foreign(id)), view, progress, buttons, section("Events", log));
  room.ends(() => stream?.close());
  room.every(2, "receipt.get", { receipt: id }, (answer) => {
    const isOver = ends.includes((state = answer.state));
    buttons.hidden = progress.hidden = isOver;
    write(pause, state === "paused" ? "Resume" : "Pause");
    view.replaceChildren(...shown(answer));
    if (stream) return;
    stream = new EventSource("/events?receipt=" + encodeURIComponent(id));
    for (const type of types) stream.addEventListener(type, hear);
  });
}

/** The time, the type and what differs from event to event. */
function line({ receipt, seq, type, at, queue, result, ...rest }) {
  const parts = Object.entries(rest).map(([name, value]) => `${name} ${typeof value === "object" ? JSON.stringify(value) : value}`);
  return h("li", h("time", clock(at)), h("b", type), " ", foreign(parts.join(", "), 300));
}

function shown({ state, position, attempts, worker, result, error }) {
  const { name, phase, message, retryable } = error?.data ?? error ?? {};
  const mark = h("p", h("span.mark", { className: state === "succeeded" ? "mark" : "mark warn" }, state));
  if (result) return [mark, outcome(result)];
  return [mark, facts(["Position", position >= 0 && String(position)], ["Attempts", attempts && String(attempts)], ["Worker", worker && foreign(worker)], ["Error", name], ["Phase", phase],
    ["What happened", message && foreign(message, 600)], ["Retry", name && (retryable ? "The same request may succeed soon." : "The same request would fail again.")])];
}

/** A result with its picture, its facts and its way. */
export function outcome({ from, source = {}, renditions: [made = {}] = [], attempts, worker, metrics }) {
  const size = ({ format, width, height, bytes: size }) => width && `${format}, ${width} × ${height}, ${bytes(size)}`;
  return h("div.beside", h("figure", made.url && image(made.url, "The result")), h("div", facts(["From", from], ["URL", source.url && foreign(source.url, 300)], ["Source", size(source)], ["Result", size(made)],
    ["Saved", source.bytes > 0 && made.bytes > 0 && percent(1 - made.bytes / source.bytes)], ["Took", metrics?.total > 0 && seconds(metrics.total)],
    ["Attempts", attempts > 1 && String(attempts)], ["Worker", worker && foreign(worker)], ["Key", made.key && foreign(made.key)]), waterfall(metrics)));
}
