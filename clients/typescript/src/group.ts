import { TintypeError } from "./errors.ts";
import type { LoadedImage } from "./image.ts";
import type { ErrorBody, GroupItem, GroupState } from "./answers.ts";
import type { ImageResult } from "./generated.ts";

/** An item of a group that has ended: its image, or the reason why there is none. */
export type GroupEvent =
  | { readonly type: "image"; readonly index: number; readonly receipt?: string; readonly image: LoadedImage }
  | { readonly type: "failed"; readonly index: number; readonly receipt?: string; readonly error: TintypeError };

/** What a group needs of its client. */
export interface GroupHost {
  image(result: ImageResult): LoadedImage;
  call(method: string, params: object, seconds: number, signal?: AbortSignal): Promise<unknown>;
}

/** Seconds between two looks at a group that somebody reads, at least and at most. */
const [soonest, latest] = [0.1, 2];
/** Items of one answer. */
const mostItems = 500;
/** Seconds for which one question is repeated while no coordinator answers. */
const patience = 600;

/**
 * Several requests with one end: a batch, a prefetch or a chain. Await it for its end, or loop over its items as they end with `for await`.
 *
 * A group goes on in the service without its client. A lost connection costs it nothing: the client asks for it by its id.
 */
export class GroupTask<End> implements PromiseLike<End>, AsyncIterable<GroupEvent> {
  /** The id of the group, once the service has it. */
  readonly group: Promise<string>;
  /** What the group ends with. */
  readonly ended: Promise<End>;
  #host: GroupHost;
  #signal?: AbortSignal;
  #settled = new Map<number, GroupEvent>();
  #readers = new Set<() => void>();
  #isRead = false;
  #finished = 0;
  #total = 0;
  #isOver = false;
  #failure?: unknown;
  #hurry = () => {};

  /**
   * @param start Starts the group and returns its id.
   * @param end Makes what the group ends with, from its last state and its items in order.
   */
  constructor(
    host: GroupHost,
    start: () => Promise<string>,
    end: (state: GroupState, items: readonly (GroupEvent | undefined)[]) => End,
    signal?: AbortSignal,
  ) {
    this.#host = host;
    this.#signal = signal;
    this.group = start();
    this.ended = this.#run(end);
    this.group.catch(() => {});
    this.ended.catch(() => {});
  }

  /** How many items have ended, of how many. */
  get progress(): { readonly finished: number; readonly total: number } {
    return { finished: this.#finished, total: this.#total };
  }

  then<Result = End, Failure = never>(
    fulfilled?: ((end: End) => Result | PromiseLike<Result>) | null,
    rejected?: ((error: unknown) => Failure | PromiseLike<Failure>) | null,
  ): Promise<Result | Failure> {
    return this.ended.then(fulfilled, rejected);
  }

  catch<Failure = never>(rejected?: ((error: unknown) => Failure | PromiseLike<Failure>) | null): Promise<End | Failure> {
    return this.ended.catch(rejected);
  }

  finally(settled?: (() => void) | null): Promise<End> {
    return this.ended.finally(settled);
  }

  /** Each item once, in the order in which they end. The failure of an item is an event here; that of the whole group is an exception. */
  async *[Symbol.asyncIterator](): AsyncGenerator<GroupEvent, void, void> {
    this.#isRead = true;
    this.#hurry();
    let wake = () => {};
    const bell = () => wake();
    this.#readers.add(bell);
    try {
      const told = new Set<number>();
      for (;;) {
        let isNews = false;
        for (const [index, event] of this.#settled) {
          if (told.has(index)) continue;
          told.add(index);
          isNews = true;
          yield event;
        }
        if (isNews) continue;
        if (this.#isOver) {
          if (this.#failure !== undefined && !(this.#failure instanceof TintypeError && "index" in this.#failure.data)) throw this.#failure;
          return;
        }
        await new Promise<void>((resolve) => wake = resolve);
      }
    } finally {
      this.#readers.delete(bell);
    }
  }

  /** Ends the group. Downloads that others want go on. */
  async cancel(): Promise<void> {
    await this.#host.call("group.cancel", { group: await this.group }, 30);
  }

  async #run(end: (state: GroupState, items: readonly (GroupEvent | undefined)[]) => End): Promise<End> {
    const abort = () => void this.cancel().catch(() => {});
    try {
      this.#signal?.throwIfAborted();
      this.#signal?.addEventListener("abort", abort, { once: true });
      const group = await this.#started();
      let wait = soonest;
      for (;;) {
        const state = await this.#look(group, wait);
        this.#total = state.total;
        const isNews = state.finished > this.#finished;
        this.#finished = state.finished;
        if (state.state !== "running") {
          const items = Array.from({ length: state.total }, (_, index) => this.#settled.get(index));
          return end(state, items);
        }
        wait = isNews ? soonest : Math.min(latest, wait * 1.5);
      }
    } catch (error) {
      this.#failure = error;
      throw error;
    } finally {
      this.#signal?.removeEventListener("abort", abort);
      this.#isOver = true;
      for (const wake of this.#readers) wake();
    }
  }

  /** Waits for the id, but not when the signal is aborted: the group is then cancelled as soon as its id is there. */
  #started(): Promise<string> {
    const signal = this.#signal;
    if (!signal) return this.group;
    return new Promise((resolve, reject) => {
      const abort = () => reject(signal.reason);
      signal.addEventListener("abort", abort, { once: true });
      this.group.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
    });
  }

  /** Waits a moment for the end, and takes the items that have ended. */
  async #look(group: string, wait: number): Promise<GroupState> {
    const begin = this.#firstOpen;
    let state: GroupState;
    if (this.#isRead) {
      state = await this.#ask(group, begin, wait);
    } else {
      // Only the end counts, until somebody reads.
      const hurry = new AbortController();
      this.#hurry = () => hurry.abort();
      state = await this.#ask(group, begin, 20, hurry.signal).catch((error) => hurry.signal.aborted ? this.#ask(group, begin, 0) : Promise.reject(error));
    }
    let page = state;
    const known = () => this.#settled.size >= state.finished;
    while ((this.#isRead || state.state !== "running") && page.next !== undefined && !known()) page = await this.#ask(group, page.next, 0);
    return state;
  }

  async #ask(group: string, from: number, wait: number, hurry?: AbortSignal): Promise<GroupState> {
    const signals = [hurry, this.#signal].filter((one) => one !== undefined);
    const state = await this.#host.call("group.get", { group, from, wait, limit: mostItems }, patience, AbortSignal.any(signals)) as GroupState;
    for (const item of state.results ?? []) this.#take(item);
    for (const wake of this.#readers) wake();
    return state;
  }

  #take({ index, state, receipt, result, error }: GroupItem): void {
    if (this.#settled.has(index) || state === "queued" || state === "running") return;
    const named = receipt === undefined ? { index } : { index, receipt };
    if (result) this.#settled.set(index, { type: "image", ...named, image: this.#host.image(result) });
    else if (error) this.#settled.set(index, { type: "failed", ...named, error: new TintypeError(error) });
    else if (state !== "succeeded") {
      this.#settled.set(index, { type: "failed", ...named, error: TintypeError.make("cancelled", "the item was cancelled with its group") });
    }
  }

  get #firstOpen(): number {
    let index = 0;
    while (this.#settled.has(index)) index++;
    return index;
  }
}

/** The error of a group that has not succeeded. */
export function groupError(state: GroupState): TintypeError {
  if (state.failed) {
    const error: ErrorBody = state.failed.error;
    return new TintypeError({
      ...error,
      data: { name: "internal", ...error.data, index: state.failed.index, message: `item ${state.failed.index}: ${error.data?.message ?? error.message}` },
    });
  }
  return TintypeError.make("cancelled", `the group was cancelled${state.reason ? `: ${state.reason}` : ""}`, { reason: state.reason });
}
