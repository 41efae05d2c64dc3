// One request, from its admission to its delivery.
import { call, imagePath } from "./api.js";
import { waterfall } from "./chart.js";
import { actions, button, facts, foreign, h, image, link, write } from "./dom.js";
import { fill } from "./table.js";
import { bytes, percent, plain, seconds, words } from "./text.js";

const ends = ["succeeded", "failed", "cancelled"], types = ["queued", "started", "response", "progress", "retrying", "paused", "resumed", "cached", "rendition", ...ends];

export function receipt(room, id) {
  let last, answer, stream, events = [];
  const view = h("div"), bar = h("span.bar", h("i")), far = h("span"), progress = h("p.progress", bar, far);
  const change = (text, method, more) => button(text, () => room.act(async () => {
    await call(method, { receipt: id, ...more });
    return `${text}: done.`;
  }));
  const buttons = actions(change("Cancel", "receipt.cancel"), ["high", "normal", "low"].map((priority) => change(`Priority ${priority}`, "receipt.setPriority", { priority })));
  const show = () => {
    // The same answer leaves the focus and the picture in their place.
    const { progress: _, ...others } = answer, news = JSON.stringify([others, events]);
    if (news !== last) view.replaceChildren(shown(answer, events));
    last = news;
  };
  room.add(h("p.subject", foreign(id)), view, progress, buttons);
  room.every(1, "receipt.get", { receipt: id }, (news) => {
    answer = news;
    const { phase, fraction, receivedBytes } = answer.progress ?? {}, hasEnded = ends.includes(answer.state);
    buttons.hidden = hasEnded;
    progress.hidden = hasEnded || !phase;
    fill(bar, fraction);
    write(far, `${words(phase ?? "")} ${bytes(receivedBytes)}`);
    // A receipt that nobody knows, or that has ended, has no stream.
    if (!hasEnded) stream ??= follow(room, id, (event) => {
      events = noted(events, event);
      show();
    });
    show();
    return hasEnded;
  });
}

/** Hears the events of a receipt to its end, while the room is seen. A stream that goes on begins behind the last event. */
function follow(room, id, hear) {
  let source, place = "";
  const open = () => {
    source?.close();
    if (document.hidden || room.signal.aborted || !hear) return;
    source = new EventSource(`/events?receipt=${encodeURIComponent(id)}${place}`);
    // After a status such as 503, a browser never tries again.
    source.onerror = () => source.readyState > 1 && setTimeout(open, 3000);
    for (const type of types) source.addEventListener(type, ({ data, lastEventId }) => {
      place = `&lastEventId=${lastEventId}`;
      hear(JSON.parse(data));
      if (!ends.includes(type)) return;
      hear = null;
      open();
    });
  };
  room.listen(document, "visibilitychange", open);
  room.signal.addEventListener("abort", open);
  open();
  return open;
}

/** Adds an event to those that are known: each once, and of progress the beginning of each phase. Pure. */
export function noted(known, event) {
  const { type, seq, phase } = event, isOld = known.some((one) => one.seq === seq) || (type === "progress" && known.findLast((one) => one.type === type)?.phase === phase);
  return isOld || (known.length > 63 && !ends.includes(type)) ? known : [...known, event];
}

/** What an event says, in a few words. Pure. */
export const told = ({ type, phase, status, attempt, delay, error }) => [words((type === "progress" && phase) || type), status, attempt && `attempt ${attempt}`, delay && `again in ${seconds(delay)}`, error?.data?.name].filter(Boolean).join(", ");

/** An operation as a line. Pure. */
export const step = ({ op, ...values }) => [op, Object.entries(values).map(([name, value]) => `${name} ${value?.constructor === Object ? JSON.stringify(value) : value}`).join(", ")].filter(Boolean).join(": ");

/** The operations that made a result, which its store knows. */
export function operations(key) {
  const node = h("ol", "…");
  call("pictures.get", { key }).then(({ operations: all }) => (all?.length ? all.map((one) => h("li", foreign(step(one), 300))) : [all ? "none" : "not known"]), ({ message }) => [plain(message)])
    .then((lines) => node.replaceChildren(...lines));
  return node;
}

function shown({ state, position, attempts, worker, result, error }, events) {
  const { name, phase, message } = error?.data ?? {}, moments = events.map((event) => ({ at: event.at, text: told(event) })), key = result?.renditions?.[0]?.key;
  return h("div", h("p", h("span.mark", { className: state === "succeeded" ? "" : "warn" }, state)), result ? outcome(result, { moments, steps: key && operations(key) }) : [facts(["Position", position >= 0 && String(position)], ["Attempts", attempts],
    ["Worker", worker && foreign(worker)], ["Error", name], ["Phase", phase], ["What happened", message && foreign(message, 600)]), waterfall(undefined, moments)]);
}

/** A result with its picture, its facts and its way. `before` stands beside the picture. */
export function outcome({ receipt, from, source = {}, renditions = [], attempts, worker, metrics }, { before, steps, moments } = {}) {
  const [{ bytes: made } = {}, another] = renditions, each = (show) => renditions.map((one) => one.key && h("div", show(one)));
  const size = ({ format, width, height, bytes: size }) => size && [format, width && `${width} × ${height}`, bytes(size)].filter(Boolean).join(", ");
  return h("div.beside", before, h("figure", each(({ key, name }) => image(imagePath(key), another && name))), h("div", facts(["URL", source.url && foreign(source.url, 300)], ["Receipt", receipt && link(receipt, "receipt", receipt)], ["From", from],
    ["Source", size(source)], ["Operations", steps], ["Result", made && renditions.map((one) => h("div", size(one)))], ["Saved", !another && source.bytes > made && percent(1 - made / source.bytes)],
    ["Attempts", attempts > 1 && attempts], ["Worker", worker && foreign(worker)], ["Key", made && each(({ key }) => foreign(key))]), metrics && waterfall(metrics, moments)));
}
