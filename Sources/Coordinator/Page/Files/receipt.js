// One request, from its admission to its delivery.
import { call } from "./api.js";
import { waterfall } from "./chart.js";
import { actions, button, facts, foreign, h, image, write } from "./dom.js";
import { fill } from "./table.js";
import { bytes, percent, seconds, words } from "./text.js";

export function receipt(room, id) {
  let state;
  const view = h("div"), bar = h("span.bar", h("i")), far = h("span"), progress = h("p.progress", bar, far);
  const change = (method, done, more) => room.act(async () => {
    await call(method, { receipt: id, ...more });
    return `The receipt ${done}.`;
  });
  const pause = button("Pause", () => (state === "paused" ? change("receipt.resume", "goes on") : change("receipt.pause", "is paused")));
  const buttons = actions(button("Cancel", () => change("receipt.cancel", "is cancelled"), "bad"), pause,
    ["high", "normal", "low"].map((priority) => button(`Priority ${priority}`, () => change("receipt.setPriority", `has the priority ${priority}`, { priority }))));
  room.add(h("p.subject", foreign(id)), view, progress, buttons);
  room.every(1, "receipt.get", { receipt: id }, (answer) => {
    const { phase, fraction, receivedBytes } = answer.progress ?? {};
    state = answer.state;
    buttons.hidden = ["succeeded", "failed", "cancelled"].includes(state);
    progress.hidden = buttons.hidden || !phase;
    write(pause, state === "paused" ? "Resume" : "Pause");
    fill(bar, fraction);
    write(far, `${words(phase ?? "")} ${bytes(receivedBytes)}`);
    view.replaceChildren(...shown(answer));
  });
}

function shown({ state, position, attempts, worker, result, error }) {
  const { name, phase, message, retryable } = error?.data ?? {};
  return [h("p", h("span.mark", { className: state === "succeeded" ? "" : "warn" }, state)), result ? outcome(result) : facts(["Position", position >= 0 && String(position)], ["Attempts", attempts],
    ["Worker", worker && foreign(worker)], ["Error", name], ["Phase", phase], ["What happened", message && foreign(message, 600)], ["Retry", name && (retryable ? "The same request may succeed soon." : "The same request would fail again.")])];
}

/** A result with its picture, its facts and its way. */
export function outcome({ from, source = {}, renditions: [made = {}] = [], attempts, worker, metrics }) {
  const size = ({ format, width, height, bytes: size }) => width && `${format}, ${width} × ${height}, ${bytes(size)}`;
  return h("div.beside", h("figure", made.url && image(made.url)), h("div", facts(["From", from], ["URL", source.url && foreign(source.url, 300)], ["Source", size(source)], ["Result", size(made)],
    ["Saved", source.bytes > made.bytes && percent(1 - made.bytes / source.bytes)], ["Took", metrics?.total && seconds(metrics.total)],
    ["Attempts", attempts > 1 && attempts], ["Worker", worker && foreign(worker)], ["Key", made.key && foreign(made.key)]), waterfall(metrics)));
}
