// The stream of a second's numbers, and the history behind it. A page that nobody sees has no stream.
import { call } from "./api.js";
import { History } from "./history.js";

const due = new Map();

/** Does work in the next frame, however many events arrive: of one key the latest. */
export function nextFrame(key, work) {
  if (!due.size) requestAnimationFrame(() => {
    const works = [...due.values()];
    due.clear();
    for (const work of works) work();
  });
  due.set(key, work);
}

/** Sends `second` for news, and `state` when the stream opens or breaks. */
export class Live extends EventTarget {
  fine = new History(1, 900);
  coarse = new History(15, 5760);
  gauges = null;
  #source;
  #timer;

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
      this.#changed(true);
      this.#fill(this.fine);
      this.#fill(this.coarse);
    };
    source.onerror = () => this.#changed(false);
    this.#timer = setInterval(() => {
      // The points of 15 seconds are only in the list. A browser never tries again after a status such as 401.
      if (source.readyState === EventSource.CLOSED) this.open();
      else this.#fill(this.coarse);
    }, 15000);
  }

  close() {
    clearInterval(this.#timer);
    this.#source?.close();
    this.#changed(false);
  }

  async #fill(history) {
    // Without a past, the charts begin now; the room says what is wrong.
    this.#add(history, (await call("stats.series", { step: history.step, since: history.newest * history.step }).catch(() => ({ points: [] }))).points);
  }

  #add(history, points) {
    history.add(points);
    nextFrame(this, () => this.dispatchEvent(new Event("second")));
  }

  #changed(isOpen) {
    this.isOpen = isOpen;
    this.dispatchEvent(new Event("state"));
  }
}
