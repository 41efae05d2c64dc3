// Failures by cause and host, dead letters, and the blacklist; each can be asked again.
import { call } from "./api.js";
import { actions, button, dialog, facts, foreign, h, link } from "./dom.js";
import { loaded } from "./sheet.js";
import { table } from "./table.js";
import { ago, count, plain, seconds, some } from "./text.js";

const key = ({ queue, id, error, status, host }) => [queue, id ?? error, status, host].join(" ");
const since = (time) => ago(time);

/** The name of an error, and the status: of a group, a dead letter or an entry of the blacklist. Pure. */
export function cause({ error, cause, status }) {
  const { name = cause ?? error, status: code = status ?? "" } = error?.data ?? {};
  return `${name} ${code}`.trim();
}

export function failures(room) {
  /** Calls a method for items of many queues, and adds up its numbers. */
  const each = (items, method, sentence, question) => room.act(async () => {
    let sum = 0;
    for (const [queue, part] of Object.entries(Object.groupBy(items, ({ queue }) => queue))) sum += Object.values(await call(method, { queue, ids: part.map(({ id }) => id) }))[0];
    return `${some(sum, "source")} ${sentence}`;
  }, question);
  const again = "queued again, under receipts that begin with retry-.", retry = (letter) => each([letter], "dead.retry", again);
  const retryAll = () => room.act(async () => {
    let sum = 0;
    for (const { name, dead } of await call("queue.list")) if (dead) sum += await revive(name);
    return `${some(sum, "source")} ${again}`;
  });
  const remove = (letter) => each([letter], "dead.remove", "removed.", ["Remove the dead letter?", plain(letter.url), "Remove"]);
  const askAgain = ({ error, status, host, queue }) => room.act(async () => {
    const { retried, pardoned } = await call("failures.retry", { error, status, host, queue, limit: 1000 });
    return `${some(retried, "dead letter")} queued again, ${some(pardoned, "source")} off the blacklist.`;
  });
  const pardon = (entry) => each([entry], "blacklist.remove", "may be asked again.");

  const causes = table("Failures by cause and host", key, "Nothing has failed while somebody looked.", [
    ["Cause", cause], ["Host", "host"], ["Requests", "count", count], ["Crashes", ({ crashes = [] }) => crashes.length, count, "wide"], ["Latest", "lastAt", since, "wide"], ["What happened last", ({ sample }) => sample?.message, "text", "wide"],
  ], [["Look", look], ["Ask all again", askAgain]]);
  const dead = table("Dead letters", key, "There is no dead letter.", [["Source", "url"], ["Cause", cause], ["Attempts", "attempts", count, "wide"], ["Died", "at", since], ["Queue", "queue", "text", "wide"]],
    [[({ retryable }) => (retryable ? "Retry" : ""), retry], ["Remove", remove, "bad"]]);
  const black = table("Blacklist", key, "No source is blacklisted.", [["Source", "url"], ["Cause", cause], ["For", "until", (time) => seconds(Math.ceil(time - Date.now() / 1000))], ["Queue", "queue", "text", "wide"]],
    [["Remove", pardon]]);
  room.add(causes.node, dead.node, actions(button("Retry all", retryAll)), black.node);
  room.every(3, "failures.list", { limit: 100 }, ({ items }) => causes.show(items));
  room.every(4, "queue.list", {}, async (queues) => {
    const asked = queues.filter(({ dead }) => dead).slice(0, 20), limit = Math.ceil(200 / asked.length);
    const lists = asked.map(async ({ name: queue }) => (await call("dead.list", { queue, limit })).items.map((item) => ({ ...item, queue })));
    dead.show((await Promise.all(lists)).flat().sort((a, b) => b.at - a.at));
  });
  room.every(5, "blacklist.list", { limit: 200 }, ({ items }) => black.show(items));
}

/** Queues the dead letters of a queue again, those too that the table has no room for. @returns How many. */
export async function revive(queue) {
  let sum = 0, cursor;
  do {
    const page = await call("dead.list", { queue, limit: 200, cursor }), ids = page.items.filter(({ retryable }) => retryable).map(({ id }) => id);
    if (ids[0]) sum += (await call("dead.retry", { queue, ids })).retried;
    cursor = page.cursor;
  } while (cursor);
  return sum;
}

/** The first bytes of a source, from hexadecimal digits: as digits and as letters. Pure. */
export const dump = (digits) => digits.replace(/../g, "$& ") + "\n" + digits.replace(/../g, (two) => (two > "1f" && two < "7f" ? String.fromCharCode(parseInt(two, 16)) : "·"));

/** Shows one failure of a group: the picture if a cache has it, its first bytes, and the pictures that crashed a decoder. */
function look({ error, host, queue, crashes = [], sample: { url, message, receipt, received: { start, format, sha256 } = {} } }) {
  dialog(`${error} from ${plain(host, 60)}`, [facts(["Source", url && foreign(url, 300)], ["What happened", foreign(message, 400)], ["Receipt", receipt && link(receipt, "receipt", receipt)],
    ["Looks like", format], ["First bytes", start && h("pre", dump(start))], ["SHA-256", sha256 && foreign(sha256)],
    ...crashes.map(({ sha256, url, at }) => ["Crashed a decoder", [foreign(url, 300), foreign(`${ago(at)}, SHA-256 ${sha256}`)]])), url && loaded(url, queue)]);
}
