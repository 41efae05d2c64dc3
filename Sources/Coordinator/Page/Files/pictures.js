// The contact sheet: the newest results as they come.
import { call } from "./api.js";
import { button, h } from "./dom.js";
import { identity, sheet } from "./sheet.js";

export function pictures(room) {
  const { node, show } = sheet("The newest pictures first"), note = h("p.empty", "Loading…");
  let items = [], isHeld = false;
  const draw = (news) => {
    items = news.slice(0, 400);
    show(items);
    note.textContent = items.length ? "" : "No picture has been made yet.";
  };
  const hold = button("Hold still", () => (hold.ariaPressed = String((isHeld = !isHeld))));
  const older = button("Older pictures", () => room.act(async () => {
    const more = await call("pictures.list", { limit: 60, after: items.at(-1)?.receipt });
    draw(joined(items, more.items));
    if (!more.items.length) return "There are no older pictures here.";
  }));
  room.add(note, node, h("p.actions", hold, older));
  room.every(2, "pictures.list", { limit: 60 }, (news) => isHeld || draw(joined(news.items, items).slice(0, Math.max(60, items.length))));
}

/** Both lists without repetitions, the first in front. Pure. */
export function joined(first, second) {
  const keys = new Set(first.map(identity));
  return [...first, ...second.filter((item) => !keys.has(identity(item)))];
}
