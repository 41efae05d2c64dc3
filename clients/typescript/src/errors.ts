import { type ErrorName, errors, type Phase } from "./generated.ts";
import type { ErrorBody } from "./answers.ts";

/**
 * The one error of the client: the service has refused or failed a request, or the way to the service is gone.
 *
 * Errors of the way have the names `connect`, `connectionLost` and `deadlineExceeded`, and no phase of a download.
 * After `connectionLost` the service may have carried the request out.
 *
 * `name` tells the errors apart, as that of a `DOMException` does: `error.name === "httpStatus"`.
 */
export class TintypeError extends Error {
  override readonly name: ErrorName;
  /** The code of the error in JSON-RPC. */
  readonly code: number;
  /** Where the request was. */
  readonly phase?: Phase;
  /** Whether the same request may succeed soon. */
  readonly retryable: boolean;
  /** Seconds after which to try again. */
  readonly retryAfter?: number;
  /** The number of runs. */
  readonly attempts?: number;
  /** The failures of the runs. */
  readonly causes?: readonly { readonly name: ErrorName; readonly status?: number }[];
  /** All members of the error, such as `status` and `host` of `httpStatus`, or `path` and `expected` of `invalidParams`. */
  readonly data: Readonly<Record<string, unknown>>;

  constructor(body: ErrorBody, options?: ErrorOptions) {
    const data = body.data ?? {} as NonNullable<ErrorBody["data"]>;
    super(String(data.message ?? body.message), options);
    this.name = data.name ?? nameOf(body.code);
    this.code = body.code;
    this.data = data;
    this.retryable = data.retryable ?? errors[this.name]?.retryable ?? false;
    if (data.phase) this.phase = data.phase;
    if (typeof data.retryAfter === "number") this.retryAfter = data.retryAfter;
    if (typeof data.attempts === "number") this.attempts = data.attempts;
    if (Array.isArray(data.causes)) this.causes = data.causes;
  }

  /** Returns an error that the client itself makes. */
  static make(name: ErrorName, message: string, more: Record<string, unknown> = {}): TintypeError {
    return new TintypeError({ code: errors[name].code, message, data: { name, message, ...errors[name], ...more } });
  }
}

function nameOf(code: number): ErrorName {
  for (const [name, row] of Object.entries(errors)) if (row.code === code) return name as ErrorName;
  return "internal";
}

/** Whether a certificate was refused, by the words of Deno and Node. Browsers do not tell. */
export function isCertificateFault(error: unknown): boolean {
  const { code, message, cause } = (error ?? {}) as { readonly code?: unknown; readonly message?: unknown; readonly cause?: unknown };
  return /certificate/i.test(`${code} ${message}`) || (cause !== undefined && isCertificateFault(cause));
}

/** The way to the service is gone: `connectionLost` when the service may have carried the request out, else `connect`. */
export class LostWay extends TintypeError {
  /**
   * @param message What happened.
   * @param reached Whether the service may have carried the request out.
   * @param options The cause.
   */
  constructor(message: string, readonly reached: boolean, options?: ErrorOptions) {
    const name = reached ? "connectionLost" : "connect";
    super({ code: errors[name].code, message, data: { name, message, retryable: true } }, options);
  }
}
