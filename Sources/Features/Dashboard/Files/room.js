// The questions of a room while it is open, and all that ends with the room.
import { call } from "./api.js";
import { dialog, h, say, write } from "./dom.js";
import { plain } from "./text.js";

export class Room {
  #end = new AbortController();
  #asks = [];
  #troubles = {};

  /** @param live The stream of numbers, one for all rooms. */
  constructor(name, live) {
    this.node = h("div.room." + name);
    this.live = live;
    this.signal = this.#end.signal;
  }

  add(...parts) {
    this.node.append(...parts);
  }

  /** Calls a method now, and again so many seconds after each answer while the page is seen, until `show` returns true. */
  every(seconds, method, params, show) {
    let timer, last, isDone;
    const ask = async () => {
      clearTimeout(timer);
      last?.abort();
      if (this.signal.aborted || document.hidden) return;
      last = new AbortController();
      const signal = AbortSignal.any([last.signal, this.signal]);
      const trouble = await call(method, params, signal).then(async (answer) => signal.aborted || ((isDone = await show(answer)), ""), ({ message }) => message);
      if (signal.aborted) return;
      this.#complain({ ...this.#troubles, [method]: trouble });
      if (isDone !== true) timer = setTimeout(ask, seconds * 1000);
    };
    this.#asks.push(ask);
    this.listen(document, "visibilitychange", ask);
    ask();
  }

  /** Does what a button is for, says what came of it, and asks everything again.
   * @param work Returns the sentence. @param question Comes before what cannot be undone: title, text, verb. */
  async act(work, [title, text, verb] = []) {
    if (verb && !(await dialog(title, text, verb, "bad"))) return;
    try {
      const sentence = await work();
      if (sentence) say(sentence);
      for (const ask of this.#asks) ask();
    } catch ({ name, message }) {
      say(`${name}: ${message}`, "bad");
    }
  }

  /** Hears each second of the stream, and what is known already. */
  hear(listener) {
    const heard = () => this.live.gauges && listener(this.live);
    this.listen(this.live, "second", heard);
    heard();
  }

  listen(target, name, listener) {
    target.addEventListener(name, listener, { signal: this.signal });
  }

  /** Shows what keeps the room from its data, one method at a time. */
  #complain(troubles) {
    const node = document.getElementById("trouble"), text = Object.values((this.#troubles = troubles)).find(Boolean);
    node.hidden = !text;
    write(node, plain(text, 400));
  }

  leave() {
    this.#end.abort();
    this.#complain({});
  }
}
