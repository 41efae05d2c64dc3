import { pause } from "./backoff.ts";
import { TintypeError } from "./errors.ts";
import { EventLog } from "./event-log.ts";
import { type EventMaker, type TaskEvent, taskEvent } from "./events.ts";
import type { ImageResult, ReceiptSetPriorityParams } from "./generated.ts";
import type { LoadedImage } from "./image.ts";
import type { CancelResult, ErrorBody, ReceiptState, ReceiptStateName } from "./answers.ts";
import type { WireEvent } from "./transport.ts";

/** What a task needs of its client. */
export interface TaskHost extends EventMaker {
  follow(sink: (event: WireEvent) => void, signal: AbortSignal): Promise<WireEvent>;
  call(method: string, params: object): Promise<unknown>;
}

/** How a task is made. */
export interface TaskOptions {
  /** Cancels the task; of a receipt that was taken up, it ends the watch alone. */
  readonly signal?: AbortSignal;
  /** Whether another submit has made the receipt. */
  readonly isTakenUp?: boolean;
  /** Whether each rendition has an event. */
  readonly hasProgress?: boolean;
}

/**
 * One submitted request. Await it for the image, or loop over its events with `for await`, or both.
 *
 * A lost connection does not end it: the receipt is taken up again by its id, also at another coordinator.
 */
export class ImageTask implements PromiseLike<LoadedImage>, AsyncIterable<TaskEvent> {
  /** The id by which any client can ask for it. */
  readonly receipt: string;
  /** The image, or the reason why there is none. */
  readonly image: Promise<LoadedImage>;
  #host: TaskHost;
  #log: EventLog<TaskEvent>;
  #stop = new AbortController();
  #state: ReceiptStateName = "queued";
  #hasEnded = false;
  #options: TaskOptions;
  #rendered = new Set<unknown>();
  #attempt = 0;

  constructor(receipt: string, host: TaskHost, options: TaskOptions = {}) {
    this.receipt = receipt;
    this.#host = host;
    this.#options = options;
    this.#log = new EventLog<TaskEvent>(() => ({ type: "gap", receipt }));
    this.image = this.#run();
    // Who reads the events alone learns of a failure there.
    this.image.catch(() => {});
  }

  /** Where it is, by the latest event. */
  get state(): ReceiptStateName {
    return this.#state;
  }

  /** The latest progress, with `progress: true`. */
  get progress(): TaskEvent & { readonly type: "progress" } | undefined {
    return this.#log.latest("progress") as TaskEvent & { readonly type: "progress" } | undefined;
  }

  then<Result = LoadedImage, Failure = never>(
    fulfilled?: ((image: LoadedImage) => Result | PromiseLike<Result>) | null,
    rejected?: ((error: unknown) => Failure | PromiseLike<Failure>) | null,
  ): Promise<Result | Failure> {
    return this.image.then(fulfilled, rejected);
  }

  catch<Failure = never>(rejected?: ((error: unknown) => Failure | PromiseLike<Failure>) | null): Promise<LoadedImage | Failure> {
    return this.image.catch(rejected);
  }

  finally(settled?: (() => void) | null): Promise<LoadedImage> {
    return this.image.finally(settled);
  }

  /** All events, from the first one on, up to the terminal one. A failure is an event here, and no exception. */
  [Symbol.asyncIterator](): AsyncIterator<TaskEvent, void, void> {
    return this.#log[Symbol.asyncIterator]();
  }

  /** Cancels the task. Its download ends when nobody else wants it. */
  async cancel(): Promise<void> {
    // The submit may be on its way still.
    for (let tries = 0; tries < 20 && !this.#hasEnded; tries++) {
      const { reason } = await this.#host.call("receipt.cancel", { receipt: this.receipt }) as CancelResult;
      if (reason !== "unknown") return;
      await pause(0.1);
    }
  }

  /** Changes its priority while it waits. */
  async setPriority(priority: ReceiptSetPriorityParams["priority"]): Promise<void> {
    await this.#ask("receipt.setPriority", { priority });
  }

  /** Pauses it. Its deadline goes on. */
  async pause(): Promise<void> {
    await this.#ask("receipt.pause");
  }

  /** Lets it go on at its old place. */
  async resume(): Promise<void> {
    await this.#ask("receipt.resume");
  }

  /** Asks for its state. */
  async get(): Promise<ReceiptState> {
    return await this.#ask("receipt.get") as ReceiptState;
  }

  /** Calls a method of the receipt. Its submit may be on its way still: for two seconds, a receipt that is not known yet is asked for again. */
  async #ask(method: string, more: object = {}): Promise<unknown> {
    for (let tries = 1;; tries++) {
      try {
        return await this.#host.call(method, { ...more, receipt: this.receipt });
      } catch (error) {
        const isEarly = error instanceof TintypeError && error.name === "unknownReceipt" && !this.#options.isTakenUp && !this.#hasEnded;
        if (!isEarly || tries >= 20) throw error;
      }
      await pause(0.1);
    }
  }

  async #run(): Promise<LoadedImage> {
    const { receipt } = this;
    const { signal, isTakenUp } = this.#options;
    const abort = () => {
      this.#stop.abort(signal?.reason);
      // Nobody waits for the answer, and the receipt ends by its deadline in any case.
      if (!isTakenUp) this.cancel().catch(() => {});
    };
    try {
      if (signal?.aborted) {
        this.#stop.abort(signal.reason);
        throw signal.reason;
      }
      signal?.addEventListener("abort", abort, { once: true });
      const last = await this.#host.follow((event) => this.#take(event), this.#stop.signal);
      return this.#end(last);
    } catch (error) {
      if (error instanceof TintypeError && !this.#log.latest("failed") && !this.#log.latest("cancelled")) {
        this.#push({ type: "failed", receipt, error });
      } else if (signal?.aborted && !isTakenUp) {
        this.#push({ type: "cancelled", receipt, reason: "aborted" });
      }
      throw error;
    } finally {
      signal?.removeEventListener("abort", abort);
      // An aborted task has still to be canceled in the service.
      this.#hasEnded = !signal?.aborted;
      this.#log.end();
    }
  }

  #take(event: WireEvent): void {
    // A receipt that is taken up again may tell what is known.
    if (event.type === "rendition") {
      if (this.#rendered.has(event.name)) return;
      this.#rendered.add(event.name);
    } else if (event.type === "started") {
      const attempt = Number(event.attempt ?? 0);
      if (attempt <= this.#attempt) return;
      this.#attempt = attempt;
    }
    this.#push(taskEvent({ ...event, receipt: this.receipt }, this.#host));
  }

  #push(event: TaskEvent): void {
    this.#state = stateAfter(event) ?? this.#state;
    this.#log.push(event);
  }

  #end(last: WireEvent): LoadedImage {
    const { receipt } = this;
    if (last.type === "succeeded") {
      const result = last.result as ImageResult;
      const image = this.#host.image(result);
      // Those that no event has told of, because a connection was lost.
      if (this.#options.hasProgress) {
        for (const rendition of result.renditions ?? []) this.#take({ ...rendition, type: "rendition" });
      }
      this.#push({ ...taskEvent({ ...last, receipt }, this.#host), image } as TaskEvent);
      return image;
    }
    this.#take(last);
    if (last.type === "failed") throw new TintypeError(last.error as ErrorBody);
    const name = last.reason === "superseded" ? "superseded" : "cancelled";
    throw TintypeError.make(name, `the receipt ${receipt} was cancelled${last.reason ? `: ${last.reason}` : ""}`, { reason: last.reason, phase: last.phase });
  }
}

function stateAfter(event: TaskEvent): ReceiptStateName | undefined {
  switch (event.type) {
    case "state":
      return event.state;
    case "queued":
    case "paused":
    case "succeeded":
    case "failed":
    case "cancelled":
      return event.type;
    case "started":
      return "running";
    case "retrying":
      return "delayed";
    case "resumed":
      return "queued";
    default:
      return undefined;
  }
}
