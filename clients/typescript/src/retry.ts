import { Backoff, pause } from "./backoff.ts";
import { LostWay, TintypeError } from "./errors.ts";

/**
 * The methods that have a second effect when they are repeated. All others may be repeated when their answer was lost.
 * A group that is begun twice is two groups, and a cancel would reach one.
 */
export const unrepeatable: ReadonlySet<string> = new Set(["batch.start", "chain.append", "chain.start", "prefetch.start", "activity.begin"]);

/**
 * Says what follows a failed try. Pure.
 *
 * @returns The seconds to wait before the next try; nothing when the failure is final.
 */
export function delay(error: unknown, method: string, backoff: Backoff): number | undefined {
  if (error instanceof LostWay) return error.reached && unrepeatable.has(method) ? undefined : backoff.next();
  if (!(error instanceof TintypeError)) return undefined;
  switch (error.name) {
    // Wrong tokens are wrong after the pause too.
    case "overloaded":
      return error.data.limit === "wrongTokens" ? undefined : (error.retryAfter ?? 1) + backoff.next();
    case "unavailable":
      return Math.max(error.retryAfter ?? 0, backoff.next());
    // The next try goes to another coordinator.
    case "shuttingDown":
      return backoff.next();
    default:
      return undefined;
  }
}

/**
 * Tries until it succeeds, fails for good, or its time is over. Waits as the service says.
 *
 * @param until The end of its time, by `performance.now()`.
 * @param failure The failure of a first try that was made already.
 * @throws the last failure.
 */
export async function repeat<Value>(
  method: string,
  until: number,
  signal: AbortSignal | undefined,
  once: () => Promise<Value>,
  failure?: unknown,
): Promise<Value> {
  const backoff = new Backoff();
  for (;;) {
    try {
      if (failure !== undefined) throw failure;
      return await once();
    } catch (error) {
      failure = undefined;
      signal?.throwIfAborted();
      const seconds = delay(error, method, backoff);
      if (seconds === undefined || performance.now() + seconds * 1000 >= until) throw error;
      await pause(seconds, signal);
    }
  }
}
