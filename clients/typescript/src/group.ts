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
/** Seconds of one question for the end. */
const longest = 20;
/** Items of one answer to who reads them as they end: twice as many as run at once by default. */
const window = 128;
/** Items of one answer to who awaits all. */
const mostItems = 500;
/** Seconds for which one question is repeated while no coordinator answers. */
const patience = 600;

/**
 * Several requests with one end: a batch, a prefetch or a chain. Await it for its end, or loop over its items as they end with `for await`.
 *
 * A group goes on in the service without its client. A lost connection costs it nothing: the client asks for it by its id.
 * A loop keeps one page of items in memory, however slow it is. Who awaits the end gets all items at once.
 */
export class GroupTask<End> implements PromiseLike<End>, AsyncIterable<GroupEvent> {
  /** The id of the group, once the service has it. It is the right to ask for the group, so a secret. */
  readonly group: Promise<string>;
  #host: GroupHost;
  #end: (state: GroupState, items: readonly (GroupEvent | undefined)[]) => End;
  #signal?: AbortSignal;
  #ended?: Promise<End>;
  #finished = 0;
  #total: number;
  #abort = () => void this.cancel().catch(() => {});

  /**
   * @param start Starts the group and returns its id.
   * @param total The number of its items.
   * @param end Makes what the group ends with, from its last state and its items in order, when it has succeeded.
   */
  constructor(
    host: GroupHost,
    start: () => Promise<string>,
    total: number,
    end: (state: GroupState, items: readonly (GroupEvent | undefined)[]) => End,
    signal?: AbortSignal,
  ) {
    this.#host = host;
    this.#end = end;
    this.#total = total;
    this.#signal = signal;
    this.group = start();
    this.group.catch(() => this.#rest());
    signal?.addEventListener("abort", this.#abort, { once: true });
  }

  /** How many items have ended, as far as the client knows, of how many. The client asks while somebody awaits the group or loops over it. */
  get progress(): { readonly finished: number; readonly total: number } {
    return { finished: this.#finished, total: this.#total };
  }

  /** What the group ends with. */
  get ended(): Promise<End> {
    if (!this.#ended) {
      this.#ended = this.#settle();
      this.#ended.catch(() => {});
    }
    return this.#ended;
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
    const group = await this.#started();
    /** Told items at or behind `low`: all in front of it were told. */
    const told = new Set<number>();
    let [low, from, wait] = [0, 0, 0];
    for (let hasNews = false;;) {
      const [begin, page] = [low, await this.#ask(group, from, window, wait)];
      for (const item of page.results ?? []) {
        if (isOpen(item) || item.index < low || told.has(item.index)) continue;
        told.add(item.index);
        const event = this.#event(item);
        if (!event) continue;
        hasNews = true;
        yield event;
      }
      while (told.delete(low)) low++;
      if (page.state !== "running") {
        // All items have an end now, so that each page moves the place on.
        if (low >= page.total || (from === begin && low === begin)) {
          if (page.state === "succeeded" || page.failed) return;
          throw groupError(page);
        }
        [from, wait] = [low, 0];
      } else if (page.next !== undefined && page.finished > low + told.size) {
        // Items end in any order: what has ended may lie behind this page.
        [from, wait] = [page.next, 0];
        while (told.has(from)) from++;
      } else {
        [from, wait] = [low, hasNews ? soonest : Math.min(latest, Math.max(soonest, wait * 1.5))];
        hasNews = false;
      }
    }
  }

  /** Ends the group. Downloads that others want go on. */
  async cancel(): Promise<void> {
    await this.#host.call("group.cancel", { group: await this.group }, 30);
  }

  /** Waits for the end, and takes all items. */
  async #settle(): Promise<End> {
    const group = await this.#started();
    let page = await this.#ask(group, 0, mostItems, longest);
    if (page.state === "running") {
      // Only the end counts: a page behind the last item is empty.
      while (page.state === "running") page = await this.#ask(group, page.total, 1, longest);
      if (page.state === "succeeded") page = await this.#ask(group, 0, mostItems, 0);
    }
    if (page.state !== "succeeded") throw groupError(page);
    const items = Array.from<GroupEvent | undefined>({ length: page.total });
    for (let next: GroupState | undefined = page; next; next = next.next === undefined ? undefined : await this.#ask(group, next.next, mostItems, 0)) {
      for (const item of next.results ?? []) items[item.index] = this.#event(item);
    }
    return this.#end(page, items);
  }

  /** Waits for the id, but not when the signal is aborted: the group is then cancelled as soon as its id is there. */
  #started(): Promise<string> {
    const signal = this.#signal;
    if (!signal) return this.group;
    return new Promise((resolve, reject) => {
      const abort = () => reject(signal.reason);
      if (signal.aborted) return abort();
      signal.addEventListener("abort", abort, { once: true });
      this.group.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
    });
  }

  async #ask(group: string, from: number, limit: number, wait: number): Promise<GroupState> {
    const state = await this.#host.call("group.get", { group, from, limit, wait }, patience, this.#signal) as GroupState;
    this.#total = state.total;
    this.#finished = Math.max(this.#finished, state.finished);
    if (state.state !== "running") this.#rest();
    return state;
  }

  /** Nothing is left to be cancelled. */
  #rest(): void {
    this.#signal?.removeEventListener("abort", this.#abort);
  }

  #event({ index, state, receipt, result, error }: GroupItem): GroupEvent | undefined {
    const named = receipt === undefined ? { index } : { index, receipt };
    if (result) return { type: "image", ...named, image: this.#host.image(result) };
    if (error) return { type: "failed", ...named, error: new TintypeError(error) };
    if (state === "succeeded") return undefined;
    return { type: "failed", ...named, error: TintypeError.make("cancelled", "the item was cancelled with its group") };
  }
}

function isOpen({ state }: GroupItem): boolean {
  return state === "queued" || state === "running";
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
