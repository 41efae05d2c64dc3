// One request, from its admission to its delivery.
import { call, imagePath } from "./api.js";
import { waterfall } from "./chart.js";
import { actions, button, facts, foreign, h, image, link, write } from "./dom.js";
import { fill } from "./table.js";
import { bytes, percent, words } from "./text.js";

export function receipt(room, id) {
  let last;
  const view = h("div"), bar = h("span.bar", h("i")), far = h("span"), progress = h("p.progress", bar, far);
  const change = (text, method, more) => button(text, () => room.act(async () => {
    await call(method, { receipt: id, ...more });
    return `${text}: done.`;
  }));
  const buttons = actions(change("Cancel", "receipt.cancel"), ["high", "normal", "low"].map((priority) => change(`Priority ${priority}`, "receipt.setPriority", { priority })));
  room.add(h("p.subject", foreign(id)), view, progress, buttons);
  room.every(1, "receipt.get", { receipt: id }, (answer) => {
    const { phase, fraction, receivedBytes } = answer.progress ?? {};
    buttons.hidden = ["succeeded", "failed", "cancelled"].includes(answer.state);
    progress.hidden = buttons.hidden || !phase;
    fill(bar, fraction);
    write(far, `${words(phase ?? "")} ${bytes(receivedBytes)}`);
    // The same answer leaves the focus and the picture in their place.
    const { progress: _, ...others } = answer, news = JSON.stringify(others);
    if (news !== last) view.replaceChildren(...shown(answer));
    last = news;
    return buttons.hidden;
  });
}

function shown({ state, position, attempts, worker, result, error }) {
  const { name, phase, message } = error?.data ?? {};
  return [h("p", h("span.mark", { className: state === "succeeded" ? "" : "warn" }, state)), result ? outcome(result) : facts(["Position", position >= 0 && String(position)], ["Attempts", attempts],
    ["Worker", worker && foreign(worker)], ["Error", name], ["Phase", phase], ["What happened", message && foreign(message, 600)])];
}

/** A result with its picture, its facts and its way. @param before Stands beside the picture. */
export function outcome({ receipt, from, source = {}, renditions: [made = {}] = [], attempts, worker, metrics }, before) {
  const size = ({ format, width, height, bytes: size }) => size && [format, width && `${width} × ${height}`, bytes(size)].filter(Boolean).join(", ");
  return h("div.beside", before, h("figure", made.key && image(imagePath(made.key))), h("div", facts(["URL", source.url && foreign(source.url, 300)], ["Receipt", receipt && link(receipt, "receipt", receipt)], ["From", from],
    ["Source", size(source)], ["Result", size(made)], ["Saved", source.bytes > made.bytes && percent(1 - made.bytes / source.bytes)],
    ["Attempts", attempts > 1 && attempts], ["Worker", worker && foreign(worker)], ["Key", made.key && foreign(made.key)]), metrics && waterfall(metrics)));
}
