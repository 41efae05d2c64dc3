// What a room asks for while it is open, and what ends with it.
import { call } from "./api.js";
import { h, write } from "./dom.js";
import { dialog, say } from "./say.js";
import { plain } from "./text.js";

const trouble = document.getElementById("trouble");

function complain(text) {
  trouble.hidden = !text;
  write(trouble, plain(text, 400));
}

export class Room {
  isOpen = true;
  #ends = [];
  #asks = [];

  /** @param live The stream of numbers, one for all rooms. */
  constructor(name, live) {
    this.node = h("div.room." + name);
    this.live = live;
  }

  add(...parts) {
    this.node.append(...parts);
  }

  /** Calls a method now, and again so many seconds after each answer while the page is seen. */
  every(seconds, method, params, show) {
    let timer, last;
    const ask = async () => {
      clearTimeout(timer);
      last?.abort();
      if (!this.isOpen || document.hidden) return;
      const { signal } = (last = new AbortController());
      try {
        const answer = await call(method, params, signal);
        if (!signal.aborted) await show(answer);
        complain("");
      } catch (failure) {
        if (!signal.aborted) complain(failure.message);
      }
      if (!signal.aborted) timer = setTimeout(ask, seconds * 1000);
    };
    this.#asks.push(ask);
    this.ends(() => (clearTimeout(timer), last?.abort()));
    this.listen(document, "visibilitychange", ask);
    ask();
  }

  /** Does what a button is for, says what came of it, and asks everything again.
   * @param work Returns the sentence. @param question Is asked before what cannot be undone: its title, text and verb. */
  async act(work, question) {
    if (question && !(await dialog(question[0], h("p", question[1]), question[2], "bad"))) return;
    try {
      const sentence = await work();
      if (sentence) say(sentence);
      for (const ask of this.#asks) ask();
    } catch (failure) {
      say(`${failure.name}: ${failure.message}`, "bad");
    }
  }

  /** Hears each second of the stream, and what is known already. */
  hear(listener) {
    this.listen(this.live, "second", () => listener(this.live));
    if (this.live.gauges) listener(this.live);
  }

  listen(target, name, listener) {
    target.addEventListener(name, listener);
    this.ends(() => target.removeEventListener(name, listener));
  }

  /** Adds what is done at the end. */
  ends(work) {
    this.#ends.push(work);
  }

  leave() {
    this.isOpen = false;
    for (const end of this.#ends) end();
    this.node.remove();
    complain("");
  }
}
