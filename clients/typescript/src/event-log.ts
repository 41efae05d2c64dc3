/** An event of a log. */
interface Logged {
  readonly type: string;
}

/** A reader that is further behind loses the oldest events that may be lost, and is told by a gap. */
const most = 256;

/** Events of one kind of which only the latest counts. */
const replaced: ReadonlySet<string> = new Set(["progress", "preview", "state"]);

/** Events that no reader loses: results and ends, of which a request has few. */
const kept: ReadonlySet<string> = new Set(["cached", "rendition", "succeeded", "failed", "cancelled"]);

/**
 * Events for any number of readers, each at its own pace, in bounded memory: a new progress replaces one that is not read yet.
 *
 * A reader that comes later begins with what has happened.
 */
export class EventLog<Event extends Logged> implements AsyncIterable<Event> {
  #past: Event[] = [];
  #readers = new Set<{ waiting: Event[]; wake: () => void }>();
  #hasEnded = false;

  /** @param gap Makes the event that stands for lost ones. */
  constructor(readonly gap: () => Event) {}

  /** The latest event of a type. */
  latest(type: Event["type"]): Event | undefined {
    return this.#past.findLast((event) => event.type === type);
  }

  push(event: Event): void {
    this.#add(this.#past, event);
    for (const reader of this.#readers) {
      this.#add(reader.waiting, event);
      reader.wake();
    }
  }

  /** No event follows. */
  end(): void {
    this.#hasEnded = true;
    for (const reader of this.#readers) reader.wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Event, void, void> {
    const reader = { waiting: [...this.#past], wake: () => {} };
    this.#readers.add(reader);
    try {
      for (;;) {
        const event = reader.waiting.shift();
        if (event) yield event;
        else if (this.#hasEnded) return;
        else await new Promise<void>((resolve) => reader.wake = resolve);
      }
    } finally {
      this.#readers.delete(reader);
    }
  }

  #add(list: Event[], event: Event): void {
    if (replaced.has(event.type)) {
      const place = list.findIndex((one) => one.type === event.type);
      if (place >= 0) list.splice(place, 1);
    }
    list.push(event);
    if (list.length <= most) return;
    // The oldest that may be lost gives way, and stays as a gap.
    const isLosable = (one: Event) => !kept.has(one.type);
    const place = list.findIndex(isLosable);
    if (place < 0) return;
    list[place] = this.gap();
    const next = list.findIndex((one, index) => index > place && isLosable(one));
    if (next >= 0) list.splice(next, 1);
  }
}
