// What fails: by cause and host, dead letters, and the blacklist; each can be asked again.
import { call } from "./api.js";
import { button, facts, filter, fits, foreign, h, image, link, section } from "./dom.js";
import { waterfall } from "./phases.js";
import { dialog } from "./say.js";
import { table } from "./table.js";
import { ago, count, dump, plain, seconds, some } from "./text.js";

const key = ({ queue, id, error, host }) => [queue, id, error, host].join(" ");
const cause = ({ cause, error = cause, status, sample }) => [error.name ?? error, error.status ?? status ?? sample?.status].join(" ");

export function failures(room) {
  let groups = [], letters = [], entries = [];
  const shown = (list) => list.filter(({ url, host, sample, ...rest }) => fits(word, cause({ sample, ...rest }), host, url, sample?.url));
  /** Calls a method for items, by queue and by thousands, and adds up its numbers. */
  const each = (list, method, sentence, question) => room.act(async () => {
    let sum = 0;
    for (const [queue, items] of Object.entries(Object.groupBy(list, ({ queue }) => queue))) {
      for (let at = 0; at < items.length; at += 1000) sum += Object.values(await call(method, { queue, ids: items.slice(at, at + 1000).map(({ id }) => id) }))[0];
    }
    return `${some(sum, "source")} ${sentence}`;
  }, question);
  const retry = (list) => each(list.filter(({ retryable }) => retryable), "dead.retry", "queued again, under receipts that begin with retry-.");
  const remove = (list) => each(list, "dead.remove", "removed.", ["Remove dead letters?", `${some(list.length, "dead letter")} will be gone.`, "Remove"]);
  const pardon = (list) => each(list, "blacklist.remove", "may be asked again.");

  const causes = table("Failures by cause and host", key, "Nothing has failed.", [
    ["Cause", cause], ["Host", "host"], ["Requests", "count", count], ["Latest", "lastAt", (time) => ago(time)],
    ["A source of them", ({ sample }) => sample?.url, "text", "wide"], ["What happened", ({ sample }) => sample?.message, "text", "wide"],
  ], [["Look", look]]);
  const dead = table("Dead letters", key, "There is no dead letter.", [
    ["Source", "url"], ["Cause", cause], ["Attempts", "attempts", count, "wide"], ["Died", "at", (time) => ago(time)], ["Queue", "queue", "text", "wide"],
  ], [[({ retryable }) => (retryable ? "Retry" : "Cannot retry"), (letter) => retry([letter])], ["Remove", (letter) => remove([letter]), "bad"]]);
  const black = table("Blacklisted sources", key, "No source is blacklisted.", [
    ["Source", "url"], ["Cause", cause], ["Refuses", "refuses", "text", "wide"], ["For", "until", (time) => seconds(Math.max(0, Math.ceil(time - Date.now() / 1000)))], ["Queue", "queue", "text", "wide"],
  ], [["Remove", (entry) => pardon([entry])]]);
  const draw = () => {
    causes.show(shown(groups));
    dead.show(shown(letters));
    black.show(shown(entries));
  };
  const word = filter(draw);
  room.add(word, section("By cause and host", causes.node),
    section("Dead letters", h("p.actions", button("Retry all shown", () => retry(shown(letters))), button("Remove all shown", () => remove(shown(letters)), "bad")), dead.node),
    section("Blacklist", h("p.actions", button("Remove all shown", () => pardon(shown(entries)))), black.node));
  room.every(3, "failures.list", { limit: 100 }, ({ items }) => {
    groups = items;
    draw();
  });
  room.every(4, "queue.list", {}, async (queues) => {
    const lists = queues.filter(({ dead }) => dead).slice(0, 20).map(async ({ name: queue }) => (await call("dead.list", { queue, limit: 200 })).items.map((item) => ({ ...item, queue })));
    letters = (await Promise.all(lists)).flat().sort((a, b) => b.at - a.at);
    draw();
  });
  room.every(5, "blacklist.list", { limit: 200 }, ({ items }) => {
    entries = items;
    draw();
  });
}

/** Shows one failure of a group, and asks its source again on request. */
function look({ error, host, queue, sample: { url, message, receipt, bytes } = {} }) {
  const place = h("div.none", bytes ? h("pre", dump(bytes)) : "The first bytes are not known.");
  const again = button("Ask again", async () => {
    try {
      const { renditions, metrics } = await call("image.load", { url, queue, blacklist: "retry", cache: { policy: "reload" }, output: { format: "webp" }, transform: [{ op: "resize", width: 720 }] });
      place.replaceChildren(image(renditions[0].url, "The result"), waterfall(metrics));
    } catch ({ name, message }) {
      place.replaceChildren(`${name}: ${plain(message, 400)}`);
    }
  });
  dialog(`${error} from ${plain(host, 60)}`, [facts(["Source", foreign(url, 300)], ["What happened", foreign(message, 400)], ["Receipt", receipt && link(receipt, "receipt", receipt)]), place, again]);
}
