import { LostWay, TintypeError } from "./errors.ts";
import { Lines } from "./lines.ts";
import type { ErrorBody } from "./answers.ts";
import type { Socket } from "./socket.ts";

/** The coordinator reads no further requests while 1,024 are unanswered: some are left for those that cancel. */
const mostUnanswered = 1000;
/** What the coordinator reads all the same. */
const urgent: ReadonlySet<string> = new Set(["receipt.cancel", "system.ping"]);
/** A longer request is refused whole, without its id. */
const mostBytes = 4 << 20;
/** Inline bytes come in base64, up to 8 MiB for each rendition. */
const longestLine = 512 << 20;

interface Pending {
  resolve(value: unknown): void;
  reject(error: unknown): void;
  /** When it is given up, by `performance.now()`. */
  readonly until: number;
  readonly what: string;
  stop?: () => void;
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: unknown;
  readonly error?: ErrorBody;
}

/** Takes what concerns one receipt or subscription. */
export interface Listener {
  /** A notification has come. */
  notice(method: string, params: Record<string, unknown>): void;
  /** The connection is over. */
  lost(error: LostWay): void;
}

/**
 * A TCP connection to a coordinator: one message a line, answers in any order.
 *
 * Messages of one turn of the event loop leave in one write. While answers are due and nothing comes, the coordinator is asked whether it is alive.
 */
export class Connection {
  /** Settles when the connection is over, with the reason. */
  readonly closed: Promise<LostWay>;
  #close!: (error: LostWay) => void;
  #end?: LostWay;
  #ids = 0;
  #pending = new Map<number, Pending>();
  /** Requests that wait for their place. */
  #waiting: { id: number; line: string }[] = [];
  #unanswered = 0;
  #listeners = new Map<string, Set<Listener>>();
  /** Notifications of subscriptions whose answer is being handled in this moment. */
  #unclaimed = new Map<string, (readonly [string, Record<string, unknown>])[]>();
  #out = "";
  #lines = new Lines(longestLine);
  #watch?: ReturnType<typeof setInterval>;
  #heard = performance.now();
  #pinged?: number;
  #isLeaving = false;

  /**
   * @param socket An open socket.
   * @param name The address, for errors.
   * @param patience Seconds without a byte after which the coordinator is asked, and again until it counts as gone.
   */
  constructor(readonly socket: Socket, readonly name: string, readonly patience: number) {
    this.closed = new Promise((resolve) => this.#close = resolve);
    socket.on("data", (bytes: Uint8Array) => this.#take(bytes));
    socket.on("error", (error: Error) => this.end(`the connection broke: ${error.message}`, error));
    socket.on("close", () => this.end("the connection was closed by the coordinator"));
    socket.unref();
    if (socket.destroyed) this.end("the coordinator refused the connection");
  }

  /**
   * Sends a request.
   *
   * @param until When it is given up, by `performance.now()`.
   * @throws TintypeError as the service answers; LostWay when the connection is lost before the answer; the reason of the signal.
   */
  call(method: string, params: unknown, until: number, signal?: AbortSignal): Promise<unknown> {
    if (this.#end) return Promise.reject(new LostWay(this.#end.message, false, { cause: this.#end.cause }));
    if (signal?.aborted) return Promise.reject(signal.reason);
    const id = ++this.#ids;
    const line = `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)},"params":${JSON.stringify(params)}}\n`;
    if (line.length > mostBytes / 3 && new TextEncoder().encode(line).length > mostBytes) {
      const message = `a request may have 4 MiB: send large pictures by PUT /uploads, and many items in several groups`;
      return Promise.reject(TintypeError.make("invalidRequest", message, { phase: "admission" }));
    }
    return new Promise((resolve, reject) => {
      const pending: Pending = { resolve, reject, until, what: method };
      this.#add(id, pending);
      if (signal) {
        const abort = () => this.#giveUp(id, signal.reason);
        signal.addEventListener("abort", abort, { once: true });
        pending.stop = () => signal.removeEventListener("abort", abort);
      }
      if (this.#unanswered < mostUnanswered || urgent.has(method)) {
        this.#unanswered++;
        this.#write(line);
      } else {
        this.#waiting.push({ id, line });
      }
    });
  }

  /** Sends a notification. */
  notify(method: string, params: unknown): void {
    if (!this.#end) this.#write(`{"jsonrpc":"2.0","method":${JSON.stringify(method)},"params":${JSON.stringify(params)}}\n`);
  }

  /** Passes notifications that name this receipt, group or subscription to a listener, until the returned function is called. */
  listen(name: string, listener: Listener): () => void {
    const all = this.#listeners.get(name) ?? new Set();
    all.add(listener);
    this.#listeners.set(name, all);
    this.#stir();
    const early = this.#unclaimed.get(name);
    this.#unclaimed.delete(name);
    for (const one of early ?? []) listener.notice(...one);
    return () => {
      all.delete(listener);
      if (!all.size && this.#listeners.get(name) === all) this.#listeners.delete(name);
      this.#rest();
    };
  }

  /** Takes no more requests, and ends when the last answer is there. */
  leave(): void {
    this.#isLeaving = true;
    this.#rest();
  }

  /** Ends the connection. All requests without an answer fail. */
  end(what: string, cause?: unknown): void {
    if (this.#end) return;
    this.#end = new LostWay(`${this.name}: ${what}`, true, { cause });
    clearInterval(this.#watch);
    this.socket.destroy();
    const unsent = new Set(this.#waiting.map((one) => one.id));
    const pending = [...this.#pending];
    this.#pending.clear();
    for (const [id, one] of pending) {
      one.stop?.();
      one.reject(
        new LostWay(`${this.#end.message}; ${one.what} had no answer yet${unsent.has(id) ? "" : ", and may have been done"}`, !unsent.has(id), { cause }),
      );
    }
    const listeners = [...this.#listeners.values()].flatMap((all) => [...all]);
    this.#listeners.clear();
    for (const listener of listeners) listener.lost(this.#end);
    this.#close(this.#end);
  }

  #add(id: number, pending: Pending): void {
    this.#pending.set(id, pending);
    this.#stir();
  }

  #giveUp(id: number, error: unknown): void {
    const pending = this.#pending.get(id);
    if (!pending) return;
    this.#pending.delete(id);
    pending.stop?.();
    pending.reject(error);
    const place = this.#waiting.findIndex((one) => one.id === id);
    if (place >= 0) this.#waiting.splice(place, 1);
    else this.notify("$/cancelRequest", { id });
    this.#rest();
  }

  #write(text: string): void {
    if (!this.#out) {
      queueMicrotask(() => {
        const out = this.#out;
        this.#out = "";
        if (!this.#end) this.socket.write(out);
      });
    }
    this.#out += text;
  }

  #take(bytes: Uint8Array): void {
    this.#heard = performance.now();
    this.#pinged = undefined;
    try {
      for (const line of this.#lines.take(bytes)) this.#read(JSON.parse(line) as Message);
    } catch (cause) {
      this.end(`the answer cannot be read: ${cause}`, cause);
    }
  }

  #read(message: Message): void {
    if (message.method) return this.#notice(message.method, message.params ?? {});
    if (message.id === undefined || message.id === null) throw new Error(message.error?.message ?? "an answer without an id");
    // That of a ping is 0.
    if (message.id === 0) return;
    this.#unanswered--;
    const next = this.#unanswered < mostUnanswered ? this.#waiting.shift() : undefined;
    if (next) {
      this.#unanswered++;
      this.#write(next.line);
    }
    const pending = this.#pending.get(message.id);
    // The answer of a request that was given up.
    if (!pending) return;
    this.#pending.delete(message.id);
    pending.stop?.();
    if (message.error) pending.reject(new TintypeError(message.error));
    else pending.resolve(message.result);
    if (!this.#pending.size) this.#rest();
  }

  #notice(method: string, params: Record<string, unknown>): void {
    const name = String(params.subscription ?? params.receipt ?? params.group);
    const listeners = this.#listeners.get(name);
    for (const listener of [...listeners ?? []]) listener.notice(method, params);
    // The first events of a subscription may come in one piece with its answer.
    if (listeners || params.subscription === undefined || this.#unclaimed.size >= 100) return;
    const early = this.#unclaimed.get(name) ?? [];
    if (early.push([method, params]) === 1) {
      this.#unclaimed.set(name, early);
      setTimeout(() => this.#unclaimed.delete(name), 0);
    }
  }

  /** Something is due: the process stays, and the coordinator has to answer. */
  #stir(): void {
    if (this.#watch !== undefined || this.#end) return;
    this.#heard = performance.now();
    this.#pinged = undefined;
    this.socket.ref();
    this.#watch = setInterval(() => this.#check(), Math.min(250, this.patience * 250));
  }

  /** Nothing is due: an idle connection keeps no process alive. */
  #rest(): void {
    if (this.#pending.size || this.#listeners.size || this.#end) return;
    if (this.#isLeaving) return this.end("the client has left");
    // The next request comes at once, as a rule: the watch looks again before it goes.
  }

  #check(): void {
    const now = performance.now();
    if (!this.#pending.size && !this.#listeners.size) {
      clearInterval(this.#watch);
      this.#watch = undefined;
      this.socket.unref();
      return;
    }
    for (const [id, one] of this.#pending) {
      if (one.until > now) continue;
      this.#giveUp(id, TintypeError.make("deadlineExceeded", `${this.name}: ${one.what} had no answer in time; try again`, { phase: "deliver" }));
    }
    const silence = this.patience * 1000;
    if (this.#pinged !== undefined) {
      if (now - this.#pinged > silence) this.end(`the coordinator was silent for ${Math.round((now - this.#heard) / 1000)} s`);
    } else if (now - this.#heard > silence) {
      this.#pinged = now;
      // It has a right of its own beside 1,024 unanswered requests.
      this.#write('{"jsonrpc":"2.0","id":0,"method":"system.ping","params":{}}\n');
    }
  }
}
