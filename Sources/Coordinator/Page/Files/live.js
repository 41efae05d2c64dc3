// The stream of a second's numbers, and the history behind it. A page that nobody sees has no stream.
import { call } from "./api.js";
import { History } from "./series.js";

/** Sends `second` for news, and when the stream opens or breaks. */
export class Live extends EventTarget {
  fine = new History(1, 900);
  coarse = new History(15, 5760);
  #source;
  #timer;
  #frame;

  constructor() {
    super();
    document.addEventListener("visibilitychange", () => (document.hidden ? this.close() : this.open()));
  }

  open() {
    this.close();
    const source = (this.#source = new EventSource("/events?stats=1"));
    source.addEventListener("stats", ({ data }) => {
      this.gauges = JSON.parse(data);
      this.#add(this.fine, [this.gauges]);
    });
    source.onopen = () => {
      this.#fill(this.fine);
      this.#fill(this.coarse);
    };
    source.onerror = () => this.#add(this.fine, []);
    // The points of 15 seconds are only in the list. A browser never tries again after a status such as 401.
    this.#timer = setInterval(() => (source.readyState === EventSource.CLOSED ? this.open() : this.#fill(this.coarse)), 15000);
  }

  close() {
    clearInterval(this.#timer);
    this.#source?.close();
  }

  get isOpen() {
    return this.#source?.readyState === EventSource.OPEN;
  }

  async #fill(history) {
    // Without a past, the charts begin now.
    const { points = [] } = await call("stats.series", { step: history.step, since: history.newest * history.step }).catch(() => ({}));
    this.#add(history, points);
  }

  /** However many events arrive, the rooms draw once a frame. */
  #add(history, points) {
    history.add(points);
    this.#frame ??= requestAnimationFrame(() => {
      this.#frame = null;
      this.dispatchEvent(new Event("second"));
    });
  }
}
