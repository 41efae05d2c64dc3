// The stream of a second's numbers, and the history behind it. A page that nobody sees has no stream.
import { call } from "./api.js";
import { History } from "./series.js";

/** Sends `second` for news, and when the stream opens or breaks. */
export class Live extends EventTarget {
  #source;
  #timer;
  #frame;
  #heard;

  constructor() {
    super();
    this.#forget();
    document.addEventListener("visibilitychange", () => this.open());
  }

  #forget() {
    this.fine = new History(1, 900);
    this.coarse = new History(60, 1440);
  }

  /** Opens the stream anew; a page that nobody sees, or that has no rights, only closes it. */
  open() {
    clearInterval(this.#timer);
    this.#source?.close();
    this.#heard = Date.now();
    if (document.hidden || this.isRefused) return;
    const source = (this.#source = new EventSource("/events?stats=1"));
    source.addEventListener("stats", ({ data }) => {
      const { coordinators, workers, queues, ...point } = JSON.parse(data);
      this.#heard = Date.now();
      // A clock that was put back has another past.
      if (point.time < this.fine.newest - 5) {
        this.#forget();
        this.#fill(this.fine, this.coarse);
      }
      this.gauges = { coordinators, workers, queues };
      this.#add(this.fine, [point]);
    });
    source.onopen = () => this.#fill(this.fine, this.coarse);
    source.onerror = () => this.#add(this.fine, []);
    // The points of minutes are only in the list. A browser never tries again after a status such as 401, and waits for ever where nothing comes.
    this.#timer = setInterval(() => {
      if (source.readyState !== EventSource.CLOSED && Date.now() - this.#heard < 1e4) return this.#fill(this.coarse);
      this.open();
      this.#add(this.fine, []);
    }, 15000);
  }

  /** Ends the stream for good. */
  refuse() {
    this.isRefused = true;
    this.open();
  }

  get isOpen() {
    return this.#source?.readyState === EventSource.OPEN;
  }

  #fill(...histories) {
    for (const history of histories) {
      // Without a past, the charts begin now.
      call("stats.series", { step: history.step, since: history.newest * history.step }).then(({ bounds, points }) => {
        history.bounds = bounds;
        this.#add(history, points);
      }, () => {});
    }
  }

  /** However many events arrive, the rooms draw five times a second at most: other frames are free for the pointer. */
  #add(history, points) {
    history.add(points);
    this.#frame ??= setTimeout(() => requestAnimationFrame(() => {
      this.#frame = null;
      this.dispatchEvent(new Event("second"));
    }), 200);
  }
}
