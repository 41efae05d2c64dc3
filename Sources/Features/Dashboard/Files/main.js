// The page: its rooms by the hash of the URL, the session, and the state of the stream.
import { signIn, signOut } from "./api.js";
import { button, dialog, h, label, link, write } from "./dom.js";
import { failures } from "./failures.js";
import { Live } from "./live.js";
import { overview } from "./overview.js";
import { playground } from "./playground.js";
import { queues } from "./queues.js";
import { receipt } from "./receipt.js";
import { Room } from "./room.js";
import { search } from "./search.js";
import { pictures } from "./sheet.js";
import { some } from "./text.js";
import { hosts, running, workers } from "./workers.js";

const rooms = { overview, queues, running, hosts, workers, pictures, failures, search, playground, receipt }, names = Object.keys(rooms).slice(0, 9);
const [menu, state, title, summary, find, main] = ["rooms", "state", "title", "summary", "find", "main"].map((id) => document.getElementById(id));
const word = find.elements[0], live = new Live();
let room, isAsking;

const reload = () => location.reload();

/** Opens the room that the hash names, with its argument. */
function enter(hasMoved) {
  const [, asked, argument = ""] = location.hash.match(/^#\/(\w+)\/?(.*)/) ?? [], name = Object.hasOwn(rooms, asked) ? asked : "overview";
  // Unlike decodeURIComponent, this takes what is no escape as it is.
  const given = new URLSearchParams("_=" + argument.replaceAll("+", "%2B")).get("_");
  room?.leave();
  room = new Room(name, live);
  main.replaceChildren(room.node);
  write(title, name);
  document.title = `${name} · Tintype`;
  for (const door of menu.querySelectorAll("a")) door.ariaCurrent = door.hash === "#/" + name ? "page" : null;
  menu.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
  if (name === "search") word.value = given;
  rooms[name](room, given);
  // A screen reader goes on at the title of the room.
  if (hasMoved && document.activeElement !== word) title.focus();
}

/** The numbers that the menu shows beside rooms. */
const sum = (member) => ({ queues }) => queues.reduce((sum, queue) => sum + queue[member], 0);
const marks = { queues: sum("queued"), running: sum("running"), workers: ({ workers }) => workers.length, failures: sum("dead") };
const counts = names.map(() => h("span.count"));
menu.append(...names.map((name, at) => h("li", h("a", { href: "#/" + name, accessKey: at + 1 }, h("kbd", { ariaHidden: "true" }, at + 1), name, counts[at]))));

function heard() {
  const { coordinators, workers, queues } = live.gauges ?? {}, isOpen = live.isOpen && queues;
  state.className = isOpen ? "open" : "";
  write(state, isOpen ? `live · ${some(coordinators, "coordinator")} · ${some(workers.length, "worker")}` : "not connected");
  if (!queues) return;
  names.forEach((name, at) => write(counts[at], String(marks[name]?.(live.gauges) || "")));
  const paused = queues.filter(({ paused }) => paused).map(({ name }) => name).join(", ");
  write(summary, paused && `Paused: ${paused}`);
}

/** Asks for a token until one is accepted. */
async function signingIn() {
  if (isAsking) return;
  isAsking = true;
  live.refuse();
  room.leave();
  main.replaceChildren(button("Sign in", reload));
  for (let text = "This service asks for a token with the role admin."; text; ) {
    const { token } = await dialog("Sign in", h("div.form", text, label("Token", h("input", { name: "token", type: "password", autocomplete: "current-password", required: true }))), "Sign in");
    if (!token) return (isAsking = false);
    text = await signIn(token).then(() => ((localStorage.session = 1), ""), ({ message }) => message);
  }
  reload();
}

addEventListener("hashchange", () => enter(true));
addEventListener("unauthenticated", signingIn);
find.addEventListener("submit", (event) => {
  event.preventDefault();
  const { hash } = link(word.value, "search", word.value.trim());
  if (hash === location.hash) enter();
  else location.hash = hash;
});
live.addEventListener("second", heard);
live.open();
enter();
// No script can see the cookie of a session.
if (localStorage.session) state.after(button("Sign out", () => signOut().finally(() => {
  delete localStorage.session;
  reload();
})));
