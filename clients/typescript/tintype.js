// @ts-self-types="./tintype.d.ts"
// Made by build.ts from the modules in src: change those.

var _computedKey, _computedKey1, _computedKey2, _computedKey3;
/**
 * A client of Tintype for browsers, Deno and Node: HTTP and server-sent events everywhere, TCP where there is one.
 *
 * @module
 */
/**
 * Reads the address of a coordinator: `tcp://HOST:7411`, `tls://HOST:7411`, `http://HOST:7412` or `https://HOST`.
 * In a page, a path such as `/` means the server of the page.
 *
 * @throws TypeError when the text is none of these, or has a user or a password.
 */ function address(text) {
  const wanted = "tcp://HOST:PORT, tls://HOST:PORT, http://HOST:PORT or https://HOST";
  let url;
  try {
    url = new URL(text, globalThis.location?.href);
  } catch {
    throw new TypeError(`"${text}" is no address of a coordinator: give ${wanted}`);
  }
  if (url.username || url.password) throw new TypeError(`the address ${url.host} has a user or a password: give the token as an option`);
  const [kind, secure] = {
    "tcp:": [
      "tcp",
      false,
    ],
    "tls:": [
      "tcp",
      true,
    ],
    "http:": [
      "http",
      false,
    ],
    "https:": [
      "http",
      true,
    ],
  }[url.protocol] ?? [];
  if (!kind || !url.hostname || kind === "tcp" && !/^\/?$/.test(url.pathname) || url.search || url.hash) {
    throw new TypeError(`"${text}" is no address of a coordinator: give ${wanted}`);
  }
  const port = url.port ? Number(url.port) : kind === "tcp" ? 7411 : secure ? 443 : 80;
  // The brackets of an IPv6 address belong to the URL.
  const host = url.hostname.replace(/^\[|\]$/g, "");
  return {
    kind,
    secure,
    host,
    port,
    href: url.href.replace(/\/+$/, ""),
  };
}
/**
 * Reads several addresses of one kind, in a chance order, so that many clients use all coordinators.
 *
 * @throws TypeError when there is none, or TCP and HTTP are mixed.
 */
function addresses(all, random = Math.random) {
  const list = (Array.isArray(all) ? all : [
    all,
  ]).map(address);
  if (!list.length) throw new TypeError("no address of a coordinator is given");
  if (new Set(list.map((one) => one.kind)).size > 1) throw new TypeError("give addresses of one kind: tcp:// and tls://, or http:// and https://");
  const first = Math.floor(random() * list.length);
  return [
    ...list.slice(first),
    ...list.slice(0, first),
  ];
}
// The types, methods and errors of Tintype, made from the descriptions that validate requests.
// `tintype docs clients --language typescript` writes this file: change the descriptions, not the file.
/** The errors by their names: the code of JSON-RPC, and whether the same request may succeed soon. */ const errors = {
  /** The message is not JSON, or nested deeper than 64 levels. */ parseError: {
    code: -32700,
    retryable: false,
  },
  /** The message is JSON but no request, or longer than the limit. */ invalidRequest: {
    code: -32600,
    retryable: false,
  },
  /** No such method. */ methodNotFound: {
    code: -32601,
    retryable: false,
  },
  /**
   * A parameter is wrong: `path`, `value` and `expected`.
   * Texts are not repeated, but for misspelled words.
   */
  invalidParams: {
    code: -32602,
    retryable: false,
  },
  /** A fault of the service; its log has the details. */ internal: {
    code: -32603,
    retryable: true,
  },
  /** The URL cannot be parsed, or is relative. */ invalidURL: {
    code: 1001,
    retryable: false,
  },
  /** The scheme, address or host is refused by the operator's policy. */ denied: {
    code: 1002,
    retryable: false,
  },
  /** The source failed before and is blacklisted: `cause`, `since`, `until`. */ blacklisted: {
    code: 1003,
    retryable: false,
  },
  /** The origin's status is not acceptable: `status`, `host` (which answered), `headers` (without cookies, challenges and secrets, at most 8 KiB), `body` (an excerpt). */ httpStatus:
    {
      code: 1010,
      retryable: false,
    },
  /** The origin's content type is not acceptable. */ contentType: {
    code: 1011,
    retryable: false,
  },
  /** The body is not JSON, or has another shape. */ jsonInvalid: {
    code: 1012,
    retryable: false,
  },
  /** The host's name cannot be resolved. */ dns: {
    code: 1013,
    retryable: true,
  },
  /** No connection to the origin. */ connect: {
    code: 1014,
    retryable: true,
  },
  /** The TLS handshake or the certificate failed. */ tls: {
    code: 1015,
    retryable: false,
  },
  /** Too slow: `which` is connect, idle, total, rate, decode…. */ timeout: {
    code: 1016,
    retryable: true,
  },
  /** The connection broke before the end of the body. */ connectionLost: {
    code: 1017,
    retryable: true,
  },
  /** The origin refused the credentials. */ authFailed: {
    code: 1018,
    retryable: false,
  },
  /** More redirects than allowed. */ tooManyRedirects: {
    code: 1019,
    retryable: false,
  },
  /** The bytes are no picture, are broken, or do not meet `require`: `required`, `found`. */ badImageData: {
    code: 1020,
    retryable: false,
  },
  /** A known format that this build does not support. */ unsupportedFormat: {
    code: 1021,
    retryable: false,
  },
  /** A limit was exceeded: `limit`, and if known `value` and `allowed`. */ limitExceeded: {
    code: 1022,
    retryable: false,
  },
  /** An operation failed on this picture. */ transformFailed: {
    code: 1023,
    retryable: false,
  },
  /** The result could not be encoded. */ encodeFailed: {
    code: 1024,
    retryable: false,
  },
  /** The body could not be decrypted. */ decryptFailed: {
    code: 1025,
    retryable: false,
  },
  /** The result could not be stored. */ storeFailed: {
    code: 1026,
    retryable: true,
  },
  /** The body is not the text or XML asked for, or in a charset that is not read here: `charset`, `cause`. */ textInvalid: {
    code: 1027,
    retryable: false,
  },
  /** Not in the cache, and the origin must not be asked: `reason`. */ cacheMiss: {
    code: 1030,
    retryable: false,
  },
  /** The request was cancelled: `reason`, `phase`. */ cancelled: {
    code: 1040,
    retryable: false,
  },
  /** A newer request has the same supersede key (`slot`). */ superseded: {
    code: 1041,
    retryable: false,
  },
  /** Not finished within the request's deadline. */ deadlineExceeded: {
    code: 1042,
    retryable: true,
  },
  /** The workers of the fetch died, as often as allowed. */ workerLost: {
    code: 1043,
    retryable: true,
  },
  /**
   * The queue, Redis, or the room for connections, groups or bodies is full: `retryAfter` seconds.
   * With `limit`, a limit of the client is used up: `perSecond`, `running` or `queued` of its name (`client`), or `wrongTokens` of its address.
   * `allowed` is the value of that limit, and HTTP answers 429.
   */
  overloaded: {
    code: 1050,
    retryable: true,
  },
  /** The token is missing or wrong. */ unauthenticated: {
    code: 1051,
    retryable: false,
  },
  /** The operator does not allow the request. */ forbidden: {
    code: 1052,
    retryable: false,
  },
  /** This coordinator is stopping: connect again. */ shuttingDown: {
    code: 1053,
    retryable: true,
  },
  /** Redis cannot be reached, cannot write, or has keys of another schema: `retryAfter` seconds. */ unavailable: {
    code: 1054,
    retryable: true,
  },
  /** No such receipt, or no longer kept. */ unknownReceipt: {
    code: 1060,
    retryable: false,
  },
  /** No such group, or no longer kept. */ unknownGroup: {
    code: 1061,
    retryable: false,
  },
  /** No such queue: `queue.configure` creates one. */ unknownQueue: {
    code: 1062,
    retryable: false,
  },
};
/** The members that have a value. */ function given(members) {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
export function resize(width, height, options) {
  if (typeof width === "object") {
    return {
      op: "resize",
      ...width,
    };
  }
  return {
    op: "resize",
    ...given({
      width,
      height,
    }),
    ...options,
  };
}
/**
 * Cuts a rectangle out, by x and y or by a gravity.
 * Parts of the rectangle outside the picture are left out.
 */
export function crop(options = {}) {
  return {
    op: "crop",
    ...options,
  };
}
/**
 * Cuts off edges of one color: that of the top left corner, unless one is named.
 * A transparent corner cuts off transparent edges.
 * A picture of one color stays as it is.
 * An animation loses the edge that all its frames share.
 * In a source with lossy compression (JPEG, AVIF, HEIF, most WebP), details one pixel thin count as noise.
 */
export function trim(options = {}) {
  return {
    op: "trim",
    ...options,
  };
}
/**
 * Adds pixels of a color at each edge.
 * Negative numbers take pixels away, as inset does.
 */
export function extend(options = {}) {
  return {
    op: "extend",
    ...options,
  };
}
/**
 * Takes pixels away at each edge.
 * Negative numbers add pixels of a color, as extend does.
 */
export function inset(options = {}) {
  return {
    op: "inset",
    ...options,
  };
}
export function pad(width, height, options) {
  if (typeof width === "object") {
    return {
      op: "pad",
      ...width,
    };
  }
  return {
    op: "pad",
    ...given({
      width,
      height,
    }),
    ...options,
  };
}
/** Turns the picture clockwise around its middle. */ export function rotate(angle, options = {}) {
  return {
    op: "rotate",
    angle,
    ...options,
  };
}
/** Mirrors the picture. */ export function flip(options = {}) {
  return {
    op: "flip",
    ...options,
  };
}
/**
 * Rounds corners; the outside becomes transparent.
 * A border runs along the inside of the edge.
 */
export function roundCorners(radius, options = {}) {
  return {
    op: "roundCorners",
    radius,
    ...options,
  };
}
/** Draws a line along the edges, inside the picture. */ export function border(width, options = {}) {
  return {
    op: "border",
    width,
    ...options,
  };
}
/**
 * Keeps a shape in the middle of the picture, or the shape that another picture gives.
 * Everything else becomes transparent; the size stays.
 */
export function mask(options = {}) {
  return {
    op: "mask",
    ...options,
  };
}
/**
 * Lays another picture over this one.
 * The size stays; parts outside are cut off.
 */
export function composite(url, options = {}) {
  return {
    op: "composite",
    url,
    ...options,
  };
}
/**
 * Draws text over the picture.
 * The size stays; parts outside are cut off.
 * The text is plain, never markup.
 */
export function text(text1, options = {}) {
  return {
    op: "text",
    text: text1,
    ...options,
  };
}
/**
 * Puts the picture on a color, which replaces transparency.
 * The command line calls this operation `--flatten`.
 */
export function background(options = {}) {
  return {
    op: "background",
    ...options,
  };
}
/**
 * Blurs by the sigma of a Gaussian or the radius of three box blurs (as YYWebImage).
 * Then changes the saturation, then lays a color over it.
 */
export function blur(options = {}) {
  return {
    op: "blur",
    ...options,
  };
}
/** Sharpens the lightness, edges twice as much as flat areas. */ export function sharpen(options = {}) {
  return {
    op: "sharpen",
    ...options,
  };
}
/** Replaces the picture by squares, each with the average color of its part, from the top left corner. */ export function pixelate(options = {}) {
  return {
    op: "pixelate",
    ...options,
  };
}
/** Changes brightness, contrast, saturation, hue and gamma, in this order, as the CSS filters of these names. */ export function modulate(options = {}) {
  return {
    op: "modulate",
    ...options,
  };
}
/** Makes the picture gray: saturation 0, with the weights 0.2126, 0.7152 and 0.0722 of red, green and blue. */ export function grayscale() {
  return {
    op: "grayscale",
  };
}
/** Gives the brown of old photographs, as the CSS filter of this name. */ export function sepia(options = {}) {
  return {
    op: "sepia",
    ...options,
  };
}
/**
 * Replaces every color by its opposite, as in a negative.
 * Transparency stays.
 */
export function invert() {
  return {
    op: "invert",
  };
}
/**
 * Colors the picture. sourceIn: one color in the picture's shape.
 * Other blends: the color mixed with the picture.
 */
export function tint(color, options = {}) {
  return {
    op: "tint",
    color,
    ...options,
  };
}
/** Maps dark to one opaque color and light to another. */ export function duotone(options = {}) {
  return {
    op: "duotone",
    ...options,
  };
}
/**
 * Chooses frames of an animated picture: the picked ones, or the first ones.
 * Then reverses them, then changes their pace.
 * A format that cannot move gets the first remaining frame.
 * All frames up to the last wanted one may have 2,000 million pixels.
 */
export function frames(options = {}) {
  return {
    op: "frames",
    ...options,
  };
}
/**
 * Makes an animation of this picture and others, or of the frames in this picture (a sprite sheet).
 * Later operations change each frame, earlier ones only this picture.
 * A format that cannot move gets the first frame; without a named format, the result is WebP.
 */
export function animate(options = {}) {
  return {
    op: "animate",
    ...options,
  };
}
/**
 * Turns the picture upright by its EXIF orientation, before any other operation.
 * On by default; name the operation only to switch it off.
 */
export function autorotate(options = {}) {
  return {
    op: "autorotate",
    ...options,
  };
}
/**
 * The one error of the client: the service has refused or failed a request, or the way to the service is gone.
 *
 * Errors of the way have the names `connect`, `connectionLost` and `deadlineExceeded`, and no phase of a download.
 * After `connectionLost` the service may have carried the request out.
 *
 * `name` tells the errors apart, as that of a `DOMException` does: `error.name === "httpStatus"`.
 */
export class TintypeError extends Error {
  name;
  /** The code of the error in JSON-RPC. */ code;
  /** Where the request was. */ phase;
  /** Whether the same request may succeed soon. */ retryable;
  /** Seconds after which to try again. */ retryAfter;
  /** The number of runs. */ attempts;
  /** The failures of the runs. */ causes;
  /** All members of the error, such as `status` and `host` of `httpStatus`, or `path` and `expected` of `invalidParams`. */ data;
  constructor(body, options) {
    const data = body.data ?? {};
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
  /** Returns an error that the client itself makes. */ static make(name, message, more = {}) {
    return new TintypeError({
      code: errors[name].code,
      message,
      data: {
        name,
        message,
        ...errors[name],
        ...more,
      },
    });
  }
}
function nameOf(code) {
  for (const [name, row] of Object.entries(errors)) if (row.code === code) return name;
  return "internal";
}
/** Whether a certificate was refused, by the words of Deno and Node. Browsers do not tell. */ function isCertificateFault(error) {
  const { code, message, cause } = error ?? {};
  return /certificate/i.test(`${code} ${message}`) || cause !== undefined && isCertificateFault(cause);
}
/** The way to the service is gone: `connectionLost` when the service may have carried the request out, else `connect`. */ class LostWay extends TintypeError {
  reached;
  /**
   * @param message What happened.
   * @param reached Whether the service may have carried the request out.
   * @param options The cause.
   */
  constructor(message, reached, options) {
    const name = reached ? "connectionLost" : "connect";
    super({
      code: errors[name].code,
      message,
      data: {
        name,
        message,
        retryable: true,
      },
    }, options), this.reached = reached;
  }
}
/** The caches of the service. Nothing here asks an origin. */ export class Caches {
  #caller;
  constructor(caller) {
    this.#caller = caller;
  }
  /** Returns a kept picture; nothing when none is kept. */ async get(kept, tier) {
    try {
      return this.#caller.image(
        await this.#caller.call(
          "cache.get",
          target(kept, {
            tier,
          }),
        ),
      );
    } catch (error) {
      if (error instanceof TintypeError && error.name === "cacheMiss") return undefined;
      throw error;
    }
  }
  /** Returns the tiers that keep a picture. */ async contains(kept, tier) {
    return (await this.#caller.call(
      "cache.contains",
      target(kept, {
        tier,
      }),
    )).tiers;
  }
  /**
   * Keeps bytes as the one rendition of a request, up to 3 MiB.
   *
   * @param kept The request, or a key of your own.
   * @param ttl Seconds to keep them. Default: an hour.
   * @returns The key.
   */
  async put(kept, bytes, ttl) {
    return (await this.#caller.call(
      "cache.put",
      target(kept, {
        data: encode(bytes),
        ttl,
      }),
    )).key;
  }
  /** Removes a picture. */ async remove(kept, tier) {
    return await this.#caller.call(
      "cache.remove",
      target(kept, {
        tier,
      }),
    );
  }
  /** Replaces the metadata of a picture; without any, removes it. */ async setMetadata(kept, metadata) {
    return (await this.#caller.call(
      "cache.setMetadata",
      target(kept, {
        metadata,
      }),
    )).changed;
  }
  /** Removes everything that came from a URL, from URLs with a prefix, or that has a tag. */ async purge(what) {
    return await this.#caller.call("cache.purge", what);
  }
  /** Keeps a result until it expires, though the store is full. */ async pin(kept) {
    return (await this.#caller.call("cache.pin", target(kept))).pinned;
  }
  /** Takes the pin away. */ async unpin(kept) {
    return (await this.#caller.call("cache.unpin", target(kept))).unpinned;
  }
  /** Removes what has expired, and what is above the limits. */ async trim(tier) {
    return await this.#caller.call(
      "cache.trim",
      tier
        ? {
          tier,
        }
        : {},
    );
  }
  /** Empties one tier, or all. */ async clear(tier) {
    return await this.#caller.call(
      "cache.clear",
      tier
        ? {
          tier,
        }
        : {},
    );
  }
  /** Returns how much each tier has. */ async stats(tier) {
    return await this.#caller.call(
      "cache.stats",
      tier
        ? {
          tier,
        }
        : {},
    );
  }
}
function target(kept, more) {
  const given = Object.fromEntries(Object.entries(more ?? {}).filter(([, value]) => value !== undefined));
  return {
    ...typeof kept === "string"
      ? {
        key: kept,
      }
      : kept,
    ...given,
  };
}
/** Returns a text in base64, in pieces that fit on the stack. */ function encode(bytes) {
  let text = "";
  for (let start = 0; start < bytes.length; start += 8192) text += String.fromCharCode(...bytes.subarray(start, start + 8192));
  return btoa(text);
}
/** Pauses between tries: each up to twice as long as the one before, with half of it by chance, so that clients do not come back together. */ class Backoff {
  first;
  most;
  random;
  #tries;
  /**
   * @param first The longest first pause, in seconds.
   * @param most The longest pause, in seconds.
   */
  constructor(first = 0.1, most = 5, random = Math.random) {
    this.first = first;
    this.most = most;
    this.random = random;
    this.#tries = 0;
  }
  /** Returns the next pause in seconds. */ next() {
    const longest = Math.min(this.most, this.first * 2 ** this.#tries++);
    return longest * (0.5 + this.random() / 2);
  }
  /** Begins anew after a success. */ reset() {
    this.#tries = 0;
  }
}
/** A timer of more milliseconds would fire at once. */ const longestTimer = 2 ** 31 - 1;
/**
 * Waits some seconds, at most 24 days.
 *
 * @throws the reason of the signal, as soon as it is aborted.
 */
function pause(seconds, signal) {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, Math.min(seconds * 1000, longestTimer));
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    signal?.addEventListener("abort", stop, {
      once: true,
    });
  });
}
/**
 * The methods that have a second effect when they are repeated. All others may be repeated when their answer was lost.
 * A group that is begun twice is two groups, and a cancel would reach one.
 */
const unrepeatable = new Set([
  "batch.start",
  "chain.append",
  "chain.start",
  "prefetch.start",
  "activity.begin",
]);
/**
 * Says what follows a failed try. Pure.
 *
 * @returns The seconds to wait before the next try; nothing when the failure is final.
 */
function delay(error, method, backoff) {
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
async function repeat(method, until, signal, once, failure) {
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
/** The media type of bytes that nothing is known of. */ const unknownType = "application/octet-stream";
/** Whether it is the last event of a receipt. */ function isTerminal(event) {
  return event.type === "succeeded" || event.type === "failed" || event.type === "cancelled";
}
/** Events of a queue that wait for a slow reader. Older ones give way, and a `gap` says so. */ const mostWaiting = 1000;
/** JSON-RPC over TCP: one connection for everything. */ class TCPTransport {
  connector;
  constructor(connector) {
    this.connector = connector;
  }
  get address() {
    return this.connector.address;
  }
  call(method, params, until, signal) {
    const connection = this.connector.live;
    // Nearly all calls end here: one promise for each.
    const again = (failure) => repeat(method, until, signal, () => this.#once(method, params, until, signal), failure);
    if (!connection) return again();
    return connection.call(method, params, until, signal).catch((error) => {
      this.#mind(error, connection);
      return again(error);
    });
  }
  async #once(method, params, until, signal) {
    const connection = await this.connector.connection(until, signal);
    try {
      return await connection.call(method, params, until, signal);
    } catch (error) {
      this.#mind(error, connection);
      throw error;
    }
  }
  #mind(error, connection) {
    if (error instanceof TintypeError && error.name === "shuttingDown") this.connector.leave(connection);
  }
  async follow(work, sink, until, signal) {
    let isFirst = true;
    return await repeat("image.submit", until, signal, async () => {
      const connection = await this.connector.connection(until, signal);
      if (!isFirst) {
        sink({
          type: "gap",
          receipt: work.receipt,
        });
      }
      isFirst = false;
      try {
        return await this.#submit(connection, work, sink, until, signal);
      } catch (error) {
        this.#mind(error, connection);
        throw error;
      }
    });
  }
  /** Submits on one connection. The same receipt again is the same request, so that a repeated submit continues it. */ #submit(
    connection,
    { receipt, request },
    sink,
    until,
    signal,
  ) {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => done(() => reject(late(receipt))), Math.min(until - performance.now(), longestTimer));
      const abort = () => done(() => reject(signal.reason));
      const stop = connection.listen(receipt, {
        notice: (method, event) => {
          const read = method === "image.hook"
            ? {
              ...event,
              type: "hook",
            }
            : event;
          if (isTerminal(read)) done(() => resolve(read));
          else sink(read);
        },
        lost: (error) => done(() => reject(error)),
      });
      const done = (then) => {
        clearTimeout(timer);
        signal.removeEventListener("abort", abort);
        stop();
        then();
      };
      signal.addEventListener("abort", abort, {
        once: true,
      });
      const answer = request ? connection.call("image.submit", request, until, signal) : connection.call(
        "receipt.get",
        {
          receipt,
        },
        until,
        signal,
      );
      answer.then((answer) => {
        const event = terminal(answer);
        if (event) done(() => resolve(event));
      }, (error) => done(() => reject(error)));
    });
  }
  async *watch(queue, signal) {
    const backoff = new Backoff();
    for (let isFirst = true;; isFirst = false) {
      const waiting = [];
      let missed = !isFirst;
      let wake = () => {};
      let failure;
      let stop = () => {};
      try {
        const connection = await this.connector.connection(Infinity, signal);
        // Events may come in front of the answer that names the subscription.
        const answer = await connection.call(
          "events.subscribe",
          {
            queue,
          },
          performance.now() + 30_000,
          signal,
        );
        stop = connection.listen(answer.subscription, {
          notice: (_, event) => {
            if (waiting.length >= mostWaiting) {
              waiting.shift();
              missed = true;
            }
            waiting.push(event);
            wake();
          },
          lost: (error) => (failure = error, wake()),
        });
        const abort = () => (failure = signal.reason, wake());
        signal.addEventListener("abort", abort, {
          once: true,
        });
        backoff.reset();
        try {
          while (failure === undefined || waiting.length) {
            if (missed) {
              missed = false;
              yield {
                type: "gap",
              };
            }
            const event = waiting.shift();
            if (event) yield event;
            else await new Promise((resolve) => wake = resolve);
          }
        } finally {
          signal.removeEventListener("abort", abort);
          stop();
          if (failure === undefined) {
            connection.call("events.unsubscribe", {
              subscription: answer.subscription,
            }, performance.now() + 5000).catch(() => {});
          }
        }
        throw failure;
      } catch (error) {
        stop();
        signal.throwIfAborted();
        const seconds = delay(error, "events.subscribe", backoff);
        if (seconds === undefined) throw error;
        await pause(seconds, signal);
      }
    }
  }
  async bytes(rendition, signal) {
    if (!rendition.key) {
      throw TintypeError.make("cacheMiss", "the result has no key: its request keeps no bytes", {
        phase: "cache",
      });
    }
    const result = await this.call(
      "cache.get",
      {
        key: rendition.key,
        deliver: "inline",
      },
      performance.now() + 30_000,
      signal,
    );
    const [first] = result.renditions;
    if (typeof first?.data !== "string") {
      throw TintypeError.make("limitExceeded", `the ${first?.bytes} bytes are too many for TCP: give the address of an HTTP port as the option http`);
    }
    return {
      data: decode(first.data),
      type: first.contentType ?? unknownType,
    };
  }
  close() {
    this.connector.close();
  }
}
/** Returns the terminal event of a receipt that had ended before its submit. */ function terminal(answer) {
  if (answer.state === "succeeded" && answer.result) {
    return {
      type: "succeeded",
      receipt: answer.receipt,
      result: answer.result,
    };
  }
  if (answer.state === "cancelled") {
    return {
      type: "cancelled",
      receipt: answer.receipt,
      reason: answer.error?.data?.reason,
      phase: answer.error?.data?.phase,
    };
  }
  return answer.error
    ? {
      type: "failed",
      receipt: answer.receipt,
      error: answer.error,
    }
    : undefined;
}
/** The error of a receipt that had no end in time. */ function late(receipt) {
  return TintypeError.make("deadlineExceeded", `the receipt ${receipt} had no end in time; ask for it again by its id`, {
    phase: "deliver",
  });
}
/** Returns the bytes of a text in base64. */ function decode(base64) {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let index = 0; index < text.length; index++) bytes[index] = text.charCodeAt(index);
  return bytes;
}
/** Cuts a stream of bytes into lines of UTF-8. A line may come in many pieces: each is looked at once. */ class Lines {
  most;
  #decoder;
  #parts;
  #length;
  /** @param most The most characters of a line. */ constructor(most) {
    this.most = most;
    this.#decoder = new TextDecoder();
    this.#parts = [];
    this.#length = 0;
  }
  /**
   * Returns the lines that have ended.
   *
   * @throws RangeError when a line is too long.
   */
  take(bytes) {
    const lines = this.#decoder.decode(bytes, {
      stream: true,
    }).split("\n");
    const rest = lines.pop() ?? "";
    if (lines.length && this.#parts.length) {
      lines[0] = this.#parts.join("") + lines[0];
      this.#parts = [];
      this.#length = 0;
    }
    if (rest) {
      this.#parts.push(rest);
      this.#length += rest.length;
      if (this.#length > this.most) throw new RangeError(`a line has more than ${this.most} characters`);
    }
    return lines;
  }
}
/** The coordinator reads no further requests while 1,024 are unanswered: some are left for those that cancel. */ const mostUnanswered = 1000;
/** What the coordinator reads all the same. */ const urgent = new Set([
  "receipt.cancel",
  "system.ping",
]);
/** A longer request is refused whole, without its id. */ const mostBytes = 4 << 20;
/** Inline bytes come in base64, up to 8 MiB for each rendition. */ const longestLine = 512 << 20;
/**
 * A TCP connection to a coordinator: one message a line, answers in any order.
 *
 * Messages of one turn of the event loop leave in one write. While answers are due and nothing comes, the coordinator is asked whether it is alive.
 */
class Connection {
  socket;
  name;
  patience;
  /** Settles when the connection is over, with the reason. */ closed;
  #close;
  #end;
  #ids;
  #pending;
  /** Requests that wait for their place. */ #waiting;
  #unanswered;
  #listeners;
  /** Notifications of subscriptions whose answer is being handled in this moment. */ #unclaimed;
  #out;
  #lines;
  #watch;
  #heard;
  #pinged;
  #isLeaving;
  /**
   * @param socket An open socket.
   * @param name The address, for errors.
   * @param patience Seconds without a byte after which the coordinator is asked, and again until it counts as gone.
   */
  constructor(socket, name, patience) {
    this.socket = socket;
    this.name = name;
    this.patience = patience;
    this.#ids = 0;
    this.#pending = new Map();
    this.#waiting = [];
    this.#unanswered = 0;
    this.#listeners = new Map();
    this.#unclaimed = new Map();
    this.#out = "";
    this.#lines = new Lines(longestLine);
    this.#heard = performance.now();
    this.#isLeaving = false;
    this.closed = new Promise((resolve) => this.#close = resolve);
    socket.on("data", (bytes) => this.#take(bytes));
    socket.on("error", (error) => this.end(`the connection broke: ${error.message}`, error));
    socket.on("close", () => this.end("the connection was closed by the coordinator"));
    socket.unref();
  }
  /**
   * Sends a request.
   *
   * @param until When it is given up, by `performance.now()`.
   * @throws TintypeError as the service answers; LostWay when the connection is lost before the answer; the reason of the signal.
   */
  call(method, params, until, signal) {
    if (this.#end) {
      return Promise.reject(
        new LostWay(this.#end.message, false, {
          cause: this.#end.cause,
        }),
      );
    }
    if (signal?.aborted) return Promise.reject(signal.reason);
    const id = ++this.#ids;
    const line = `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)},"params":${JSON.stringify(params)}}\n`;
    if (line.length > mostBytes / 3 && new TextEncoder().encode(line).length > mostBytes) {
      const message = `a request may have 4 MiB: send large pictures by PUT /uploads, and many items in several groups`;
      return Promise.reject(TintypeError.make("invalidRequest", message, {
        phase: "admission",
      }));
    }
    return new Promise((resolve, reject) => {
      const pending = {
        resolve,
        reject,
        until,
        what: method,
      };
      this.#add(id, pending);
      if (signal) {
        const abort = () => this.#giveUp(id, signal.reason);
        signal.addEventListener("abort", abort, {
          once: true,
        });
        pending.stop = () => signal.removeEventListener("abort", abort);
      }
      if (this.#unanswered < mostUnanswered || urgent.has(method)) {
        this.#unanswered++;
        this.#write(line);
      } else {
        this.#waiting.push({
          id,
          line,
        });
      }
    });
  }
  /** Sends a notification. */ notify(method, params) {
    if (!this.#end) this.#write(`{"jsonrpc":"2.0","method":${JSON.stringify(method)},"params":${JSON.stringify(params)}}\n`);
  }
  /** Passes notifications that name this receipt, group or subscription to a listener, until the returned function is called. */ listen(name, listener) {
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
  /** Takes no more requests, and ends when the last answer is there. */ leave() {
    this.#isLeaving = true;
    this.#rest();
  }
  /** Ends the connection. All requests without an answer fail. */ end(what, cause) {
    if (this.#end) return;
    this.#end = new LostWay(`${this.name}: ${what}`, true, {
      cause,
    });
    clearInterval(this.#watch);
    this.socket.destroy();
    const unsent = new Set(this.#waiting.map((one) => one.id));
    const pending = [
      ...this.#pending,
    ];
    this.#pending.clear();
    for (const [id, one] of pending) {
      one.stop?.();
      one.reject(
        new LostWay(`${this.#end.message}; ${one.what} had no answer yet${unsent.has(id) ? "" : ", and may have been done"}`, !unsent.has(id), {
          cause,
        }),
      );
    }
    const listeners = [
      ...this.#listeners.values(),
    ].flatMap((all) => [
      ...all,
    ]);
    this.#listeners.clear();
    for (const listener of listeners) listener.lost(this.#end);
    this.#close(this.#end);
  }
  #add(id, pending) {
    this.#pending.set(id, pending);
    this.#stir();
  }
  #giveUp(id, error) {
    const pending = this.#pending.get(id);
    if (!pending) return;
    this.#pending.delete(id);
    pending.stop?.();
    pending.reject(error);
    const place = this.#waiting.findIndex((one) => one.id === id);
    if (place >= 0) this.#waiting.splice(place, 1);
    else {this.notify("$/cancelRequest", {
        id,
      });}
    this.#rest();
  }
  #write(text) {
    if (!this.#out) {
      queueMicrotask(() => {
        const out = this.#out;
        this.#out = "";
        if (!this.#end) this.socket.write(out);
      });
    }
    this.#out += text;
  }
  #take(bytes) {
    this.#heard = performance.now();
    this.#pinged = undefined;
    try {
      for (const line of this.#lines.take(bytes)) this.#read(JSON.parse(line));
    } catch (cause) {
      this.end(`the answer cannot be read: ${cause}`, cause);
    }
  }
  #read(message) {
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
  #notice(method, params) {
    const name = String(params.subscription ?? params.receipt ?? params.group);
    const listeners = this.#listeners.get(name);
    for (
      const listener of [
        ...listeners ?? [],
      ]
    ) listener.notice(method, params);
    // The first events of a subscription may come in one piece with its answer.
    if (listeners || params.subscription === undefined || this.#unclaimed.size >= 100) return;
    const early = this.#unclaimed.get(name) ?? [];
    if (
      early.push([
        method,
        params,
      ]) === 1
    ) {
      this.#unclaimed.set(name, early);
      setTimeout(() => this.#unclaimed.delete(name), 0);
    }
  }
  /** Something is due: the process stays, and the coordinator has to answer. */ #stir() {
    if (this.#watch !== undefined || this.#end) return;
    this.#heard = performance.now();
    this.#pinged = undefined;
    this.socket.ref();
    this.#watch = setInterval(() => this.#check(), Math.min(250, this.patience * 250));
  }
  /** Nothing is due: an idle connection keeps no process alive. */ #rest() {
    if (this.#pending.size || this.#listeners.size || this.#end) return;
    if (this.#isLeaving) return this.end("the client has left");
    // The next request comes at once, as a rule: the watch looks again before it goes.
  }
  #check() {
    const now = performance.now();
    if (!this.#pending.size && !this.#listeners.size) {
      clearInterval(this.#watch);
      this.#watch = undefined;
      this.socket.unref();
      return;
    }
    for (const [id, one] of this.#pending) {
      if (one.until > now) continue;
      this.#giveUp(
        id,
        TintypeError.make("deadlineExceeded", `${this.name}: ${one.what} had no answer in time; try again`, {
          phase: "deliver",
        }),
      );
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
/**
 * Opens a TCP connection, with TLS where the address says so.
 *
 * @param seconds The most seconds for it.
 * @throws LostWay when there is no TCP here, or the coordinator cannot be reached; TintypeError `tls` when its certificate is refused.
 */
async function connect(to, seconds, tls = {}) {
  // The name in a variable keeps bundlers for browsers from looking for the module.
  const module = to.secure ? "node:tls" : "node:net";
  let sockets;
  try {
    sockets = await import(module);
  } catch (cause) {
    throw new LostWay(`${to.href}: there is no TCP here, so give an address with http:// or https://`, false, {
      cause,
    });
  }
  const options = {
    host: to.host,
    port: to.port,
  };
  // A name for TLS is no address (RFC 6066, section 3).
  const servername = tls.servername ?? (/^[\d.]+$|:/.test(to.host) ? undefined : to.host);
  if (to.secure) {
    Object.assign(options, {
      ca: tls.ca,
      cert: tls.cert,
      key: tls.key,
      servername,
      ALPNProtocols: [],
    });
  }
  return await new Promise((resolve, reject) => {
    const socket = sockets.connect(options);
    const fail = (what, cause) => {
      socket.destroy();
      if (isCertificateFault(cause)) {
        reject(TintypeError.make("tls", `${to.href}: ${what}: name the authority by the option tls`, {
          retryable: false,
        }));
      } else {reject(
          new LostWay(`${to.href}: ${what}`, false, {
            cause,
          }),
        );}
    };
    const timer = setTimeout(() => fail(`no connection within ${seconds} s`), Math.min(seconds * 1000, longestTimer));
    socket.on("error", (error) => {
      clearTimeout(timer);
      fail(error.message, error);
    });
    socket.on("close", () => fail("the connection was closed"));
    socket.on(to.secure ? "secureConnect" : "connect", () => {
      clearTimeout(timer);
      socket.removeAllListeners("close");
      socket.removeAllListeners("error");
      socket.setNoDelay(true);
      socket.setKeepAlive(true, 10_000);
      resolve(socket);
    });
  });
}
/** Keeps one connection to one of several coordinators. When it is lost, the next address is tried, and after a round of all a pause is made. */ class Connector {
  all;
  options;
  #next;
  #live;
  /** Those that wait for a connection. */ #waiting;
  #isConnecting;
  #failure;
  #closed;
  constructor(all, options) {
    this.all = all;
    this.options = options;
    this.#next = 0;
    this.#waiting = new Set();
    this.#isConnecting = false;
    this.#closed = new AbortController();
  }
  /** The connection that is open; nothing while there is none. */ get live() {
    return this.#live;
  }
  /** The address in use, or the next one. */ get address() {
    return this.#live?.name ?? this.all[this.#next].href;
  }
  /**
   * Returns the open connection, or waits for one.
   *
   * @throws LostWay when there is none until then; TintypeError when all refuse the token, or have wrong certificates; the reason of the signal.
   */
  connection(until, signal) {
    if (this.#live) return Promise.resolve(this.#live);
    if (this.#closed.signal.aborted) return Promise.reject(closed());
    if (signal?.aborted) return Promise.reject(signal.reason);
    return new Promise((resolve, reject) => {
      const done = () => {
        this.#waiting.delete(waiter);
        clearTimeout(timer);
        signal?.removeEventListener("abort", abort);
      };
      const waiter = {
        resolve: (to) => (done(), resolve(to)),
        reject: (error) => (done(), reject(error)),
      };
      const abort = () => waiter.reject(signal?.reason);
      const timer = setTimeout(() => {
        const names = this.all.map((one) => one.href).join(", ");
        waiter.reject(
          new LostWay(`no coordinator can be reached at ${names}; the last failure: ${reason(this.#failure)}`, false, {
            cause: this.#failure,
          }),
        );
      }, Math.min(Math.max(0, until - performance.now()), longestTimer));
      signal?.addEventListener("abort", abort, {
        once: true,
      });
      this.#waiting.add(waiter);
      void this.#connect();
    });
  }
  /** Leaves a coordinator that is stopping. What waits for its answers goes on there; everything new goes to the next one. */ leave(connection) {
    if (this.#live !== connection) return;
    this.#lose(connection);
    connection.leave();
  }
  close() {
    this.#closed.abort(closed());
    this.#live?.end("the client was closed");
    this.#live = undefined;
    for (const waiter of this.#waiting) waiter.reject(closed());
  }
  /** Tries the addresses while somebody waits. */ async #connect() {
    if (this.#isConnecting) return;
    this.#isConnecting = true;
    const backoff = new Backoff();
    // A wrong token or certificate of one coordinator says nothing about the others.
    let refusals = [];
    try {
      for (let tries = 1; this.#waiting.size; tries++) {
        const to = this.all[this.#next];
        try {
          const connection = await this.#open(to);
          if (this.#closed.signal.aborted) return connection.end("the client was closed");
          this.#live = connection;
          void connection.closed.then(() => this.#lose(connection));
          for (const waiter of this.#waiting) waiter.resolve(connection);
          return;
        } catch (error) {
          this.#failure = error;
          if (error instanceof TintypeError && (!error.retryable || error.data.limit === "wrongTokens")) refusals.push(error);
          this.#next = (this.#next + 1) % this.all.length;
          if (tries % this.all.length > 0) continue;
          if (refusals.length === this.all.length) {
            for (const waiter of this.#waiting) waiter.reject(refusals[0]);
            return;
          }
          refusals = [];
          await pause(backoff.next(), this.#closed.signal).catch(() => {});
        }
      }
    } finally {
      this.#isConnecting = false;
    }
  }
  async #open(to) {
    const { token, tls, connectTimeout, heartbeat } = this.options;
    const connection = new Connection(await connect(to, connectTimeout, tls), to.href, heartbeat);
    if (token === undefined) return connection;
    try {
      const until = performance.now() + connectTimeout * 1000;
      await connection.call("session.authenticate", {
        token: typeof token === "string" ? token : await token(),
      }, until);
      return connection;
    } catch (error) {
      connection.end("the token was refused");
      throw error;
    }
  }
  #lose(connection) {
    if (this.#live !== connection) return;
    this.#live = undefined;
    this.#next = (this.#next + 1) % this.all.length;
  }
}
/** The error of calls to a client that was closed. */ function closed() {
  return TintypeError.make("cancelled", "the client was closed", {
    reason: "closed",
  });
}
function reason(error) {
  return error instanceof Error ? error.message : "none yet";
}
/** One output of a request: what is known of it, and its bytes. */ export class Rendition {
  info;
  url;
  #read;
  constructor(/** Everything that the service says of it. */ info, /** The absolute URL of the bytes, if the client knows an HTTP port. */ url, read) {
    this.info = info;
    this.url = url;
    this.#read = read;
  }
  get name() {
    return this.info.name ?? "default";
  }
  /** Its name in the caches. */ get key() {
    return this.info.key;
  }
  get format() {
    return this.info.format ?? "";
  }
  get contentType() {
    return this.info.contentType ?? unknownType;
  }
  get width() {
    return this.info.width ?? 0;
  }
  get height() {
    return this.info.height ?? 0;
  }
  /** The number of bytes. */ get size() {
    return this.info.bytes ?? 0;
  }
  /**
   * Reads the bytes. They are not kept: each call reads them again, except with `deliver: "inline"`.
   *
   * @throws TintypeError `cacheMiss` when they are kept no more.
   */
  async bytes(signal) {
    if (typeof this.info.data === "string") return decode(this.info.data);
    return (await this.#read(this.info, signal)).data;
  }
  /** Reads the bytes as a `Blob` of their media type, for `URL.createObjectURL` or `createImageBitmap`. */ async blob(signal) {
    return new Blob([
      await this.bytes(signal),
    ], {
      type: this.contentType,
    });
  }
}
/** A loaded image: its renditions, and what is known of its source. The members of the first rendition are its own as well. */ export class LoadedImage {
  result;
  base;
  read;
  #renditions;
  constructor(/** The result as the service has sent it. */ result, base, read) {
    this.result = result;
    this.base = base;
    this.read = read;
  }
  /** All outputs, in the order of the request. */ get renditions() {
    return this.#renditions ??= this.result.renditions.map((one) =>
      new Rendition(one, one.url !== undefined && this.base !== undefined ? this.base + one.url : undefined, this.read)
    );
  }
  /**
   * Returns the rendition of a name; without a name the first one.
   *
   * @throws RangeError when there is none.
   */
  rendition(name) {
    const found = name === undefined ? this.renditions[0] : this.renditions.find((one) => one.name === name);
    if (!found) throw new RangeError(`there is no rendition ${name ?? ""}: ${this.renditions.map((one) => one.name).join(", ") || "the result has none"}`);
    return found;
  }
  get width() {
    return this.rendition().width;
  }
  get height() {
    return this.rendition().height;
  }
  get format() {
    return this.rendition().format;
  }
  get key() {
    return this.rendition().key;
  }
  get url() {
    return this.rendition().url;
  }
  get source() {
    return this.result.source;
  }
  /** Where the result came from. */ get from() {
    return this.result.from;
  }
  /** What `describe` and `samples` found out. */ get description() {
    return this.result.description ?? {};
  }
  /** The placeholder in base64, with `describe: ["thumbhash"]`. */ get thumbhash() {
    return this.description.thumbhash;
  }
  /** The document of a request with `as: "json"`. */ get json() {
    return this.result.json;
  }
  /** The document of a request with `as: "text"` or `as: "xml"`. */ get text() {
    return this.result.text ?? undefined;
  }
  /** Why a fallback is there. */ get failure() {
    return this.result.error ? new TintypeError(this.result.error) : undefined;
  }
  /** Reads the bytes of the first rendition. */ bytes(signal) {
    return this.rendition().bytes(signal);
  }
  /** Reads the bytes of the first rendition as a `Blob`. */ blob(signal) {
    return this.rendition().blob(signal);
  }
}
/** Seconds between two looks at a group that somebody reads, at least and at most. */ const [soonest, latest] = [
  0.1,
  2,
];
/** Seconds of one question for the end. */ const longest = 20;
/** Items of one answer to who reads them as they end: twice as many as run at once by default. */ const window = 128;
/** Items of one answer to who awaits all. */ const mostItems = 500;
/** Seconds for which one question is repeated while no coordinator answers. */ const patience = 600;
_computedKey = Symbol.asyncIterator;
/**
 * Several requests with one end: a batch, a prefetch or a chain. Await it for its end, or loop over its items as they end with `for await`.
 *
 * A group goes on in the service without its client. A lost connection costs it nothing: the client asks for it by its id.
 * A loop keeps one page of items in memory, however slow it is. Who awaits the end gets all items at once.
 */
export class GroupTask {
  /** The id of the group, once the service has it. It is the right to ask for the group, so a secret. */ group;
  #host;
  #end;
  #signal;
  #ended;
  #finished = 0;
  #total;
  #abort = () => void this.cancel().catch(() => {});
  /**
   * @param start Starts the group and returns its id.
   * @param total The number of its items.
   * @param end Makes what the group ends with, from its last state and its items in order, when it has succeeded.
   */
  constructor(host, start, total, end, signal) {
    this.#host = host;
    this.#end = end;
    this.#total = total;
    this.#signal = signal;
    this.group = start();
    this.group.catch(() => this.#rest());
    signal?.addEventListener("abort", this.#abort, {
      once: true,
    });
  }
  /** How many items have ended, as far as the client knows, of how many. The client asks while somebody awaits the group or loops over it. */ get progress() {
    return {
      finished: this.#finished,
      total: this.#total,
    };
  }
  /** What the group ends with. */ get ended() {
    if (!this.#ended) {
      this.#ended = this.#settle();
      this.#ended.catch(() => {});
    }
    return this.#ended;
  }
  then(fulfilled, rejected) {
    return this.ended.then(fulfilled, rejected);
  }
  catch(rejected) {
    return this.ended.catch(rejected);
  }
  finally(settled) {
    return this.ended.finally(settled);
  }
  /** Each item once, in the order in which they end. The failure of an item is an event here; that of the whole group is an exception. */ async *[
    _computedKey
  ]() {
    const group = await this.#started();
    /** Told items at or behind `low`: all in front of it were told. */ const told = new Set();
    let [low, from, wait] = [
      0,
      0,
      0,
    ];
    for (let hasNews = false;;) {
      const [begin, page] = [
        low,
        await this.#ask(group, from, window, wait),
      ];
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
        if (low >= page.total || from === begin && low === begin) {
          if (page.state === "succeeded" || page.failed) return;
          throw groupError(page);
        }
        [from, wait] = [
          low,
          0,
        ];
      } else if (page.next !== undefined && page.finished > low + told.size) {
        // Items end in any order: what has ended may lie behind this page.
        [from, wait] = [
          page.next,
          0,
        ];
        while (told.has(from)) from++;
      } else {
        [from, wait] = [
          low,
          hasNews ? soonest : Math.min(latest, Math.max(soonest, wait * 1.5)),
        ];
        hasNews = false;
      }
    }
  }
  /** Ends the group. Downloads that others want go on. */ async cancel() {
    await this.#host.call("group.cancel", {
      group: await this.group,
    }, 30);
  }
  /** Waits for the end, and takes all items. */ async #settle() {
    const group = await this.#started();
    let page = await this.#ask(group, 0, mostItems, longest);
    if (page.state === "running") {
      // Only the end counts: a page behind the last item is empty.
      while (page.state === "running") page = await this.#ask(group, page.total, 1, longest);
      if (page.state === "succeeded") page = await this.#ask(group, 0, mostItems, 0);
    }
    if (page.state !== "succeeded") throw groupError(page);
    const items = Array.from({
      length: page.total,
    });
    for (let next = page; next; next = next.next === undefined ? undefined : await this.#ask(group, next.next, mostItems, 0)) {
      for (const item of next.results ?? []) items[item.index] = this.#event(item);
    }
    return this.#end(page, items);
  }
  /** Waits for the id, but not when the signal is aborted: the group is then cancelled as soon as its id is there. */ #started() {
    const signal = this.#signal;
    if (!signal) return this.group;
    return new Promise((resolve, reject) => {
      const abort = () => reject(signal.reason);
      if (signal.aborted) return abort();
      signal.addEventListener("abort", abort, {
        once: true,
      });
      this.group.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
    });
  }
  async #ask(group, from, limit, wait) {
    const state = await this.#host.call(
      "group.get",
      {
        group,
        from,
        limit,
        wait,
      },
      patience,
      this.#signal,
    );
    this.#total = state.total;
    this.#finished = Math.max(this.#finished, state.finished);
    if (state.state !== "running") this.#rest();
    return state;
  }
  /** Nothing is left to be cancelled. */ #rest() {
    this.#signal?.removeEventListener("abort", this.#abort);
  }
  #event({ index, state, receipt, result, error }) {
    const named = receipt === undefined
      ? {
        index,
      }
      : {
        index,
        receipt,
      };
    if (result) {
      return {
        type: "image",
        ...named,
        image: this.#host.image(result),
      };
    }
    if (error) {
      return {
        type: "failed",
        ...named,
        error: new TintypeError(error),
      };
    }
    if (state === "succeeded") return undefined;
    return {
      type: "failed",
      ...named,
      error: TintypeError.make("cancelled", "the item was cancelled with its group"),
    };
  }
}
function isOpen({ state }) {
  return state === "queued" || state === "running";
}
/** The error of a group that has not succeeded. */ function groupError(state) {
  if (state.failed) {
    const error = state.failed.error;
    return new TintypeError({
      ...error,
      data: {
        name: "internal",
        ...error.data,
        index: state.failed.index,
        message: `item ${state.failed.index}: ${error.data?.message ?? error.message}`,
      },
    });
  }
  return TintypeError.make("cancelled", `the group was cancelled${state.reason ? `: ${state.reason}` : ""}`, {
    reason: state.reason,
  });
}
/** Watches the requests to one coordinator. When nothing comes for a while, the coordinator is asked whether it is alive, and all requests fail if it is not. */ class Pulse {
  name;
  patience;
  ask;
  #open;
  #heard;
  #timer;
  #isAsking;
  /**
   * @param patience Seconds without a sign of life before the question, and for its answer.
   * @param ask Asks whether the coordinator is alive; nothing where that would wait behind the requests themselves.
   */
  constructor(name, patience, ask) {
    this.name = name;
    this.patience = patience;
    this.ask = ask;
    this.#open = new Set();
    this.#heard = 0;
    this.#isAsking = false;
  }
  /** Watches a request until it leaves. */ enter(what, until, signal) {
    const entry = {
      controller: new AbortController(),
      until,
      what,
    };
    const abort = () => entry.controller.abort(signal?.reason);
    if (signal?.aborted) abort();
    signal?.addEventListener("abort", abort, {
      once: true,
    });
    if (!this.#open.size) this.#heard = performance.now();
    this.#open.add(entry);
    this.#timer ??= setInterval(() => this.#check(), Math.min(250, this.patience * 250));
    return {
      signal: entry.controller.signal,
      heard: () => this.#heard = performance.now(),
      leave: () => {
        signal?.removeEventListener("abort", abort);
        this.#open.delete(entry);
        if (this.#open.size) return;
        clearInterval(this.#timer);
        this.#timer = undefined;
      },
    };
  }
  /** Ends all requests. */ end(error) {
    for (const entry of this.#open) entry.controller.abort(error);
  }
  #check() {
    const now = performance.now();
    for (const { controller, until, what } of this.#open) {
      if (until <= now) {
        controller.abort(TintypeError.make("deadlineExceeded", `${this.name}: ${what} had no answer in time; try again`, {
          phase: "deliver",
        }));
      }
    }
    if (now - this.#heard > this.patience * 1000 && this.ask && !this.#isAsking) void this.#question(this.ask);
  }
  async #question(ask) {
    this.#isAsking = true;
    try {
      await ask(AbortSignal.timeout(Math.min(this.patience * 1000, longestTimer)));
      this.#heard = performance.now();
    } catch (cause) {
      this.end(
        new LostWay(`${this.name}: the coordinator does not answer`, true, {
          cause,
        }),
      );
    } finally {
      this.#isAsking = false;
    }
  }
}
/** Reads server-sent events (HTML standard, section 9.2) from pieces of bytes. Pure. */ class ServerEvents {
  #lines = new Lines(64 << 20);
  #id = "";
  #type = "";
  #data = [];
  /** Returns the events that are whole now. */ take(bytes) {
    const events = [];
    for (const text of this.#lines.take(bytes)) {
      const line = text.endsWith("\r") ? text.slice(0, -1) : text;
      if (line === "") {
        if (this.#data.length) {
          events.push({
            id: this.#id,
            type: this.#type || "message",
            data: this.#data.join("\n"),
          });
        }
        this.#type = "";
        this.#data = [];
        continue;
      }
      const colon = line.indexOf(":");
      if (colon === 0) continue;
      const field = colon < 0 ? line : line.slice(0, colon);
      const value = colon < 0 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
      if (field === "data") this.#data.push(value);
      else if (field === "event") this.#type = value;
      else if (field === "id" && !value.includes("\0")) this.#id = value;
    }
    return events;
  }
}
/** Lets a limited number of holders in at once; the others wait in their order. */ class Turns {
  #free;
  #waiting = [];
  constructor(most) {
    this.#free = most;
  }
  /**
   * Waits for a place.
   *
   * @param until When it is given up, by `performance.now()`.
   * @returns A function that gives the place back.
   * @throws the reason of the signal; TintypeError `deadlineExceeded`.
   */
  async take(signal, until = Infinity) {
    signal?.throwIfAborted();
    if (this.#free > 0) this.#free--;
    else {
      await new Promise((resolve, reject) => {
        const rest = () => {
          clearTimeout(timer);
          signal?.removeEventListener("abort", abort);
        };
        const enter = () => {
          rest();
          resolve();
        };
        const leave = (reason) => {
          rest();
          this.#waiting.splice(this.#waiting.indexOf(enter), 1);
          reject(reason);
        };
        const abort = () => leave(signal?.reason);
        const expire = () => leave(TintypeError.make("deadlineExceeded", "the request waited for others of its client until its time was over"));
        const timer = until === Infinity ? undefined : setTimeout(expire, Math.min(Math.max(0, until - performance.now()), longestTimer));
        signal?.addEventListener("abort", abort, {
          once: true,
        });
        this.#waiting.push(enter);
      });
    }
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    };
  }
}
/** A stream has a comment every 15 seconds. */ const mostSilence = 40_000;
/** Pages and their workers have six connections to a server over HTTP/1.1, for everything. */ const isPage = "document" in globalThis ||
  "WorkerGlobalScope" in globalThis && !("Deno" in globalThis);
const mostStreams = isPage ? 4 : 100;
/** Requests that wait for their image at a time, each on a connection of its own; a coordinator accepts a limited number from one address. */ const mostLoads =
  100;
/** JSON-RPC by `POST /rpc`, and events by `GET /events`. */ class HTTPTransport {
  all;
  options;
  #current;
  #pulses;
  #streams;
  #loads;
  #fetch;
  #closed;
  constructor(all, options) {
    this.all = all;
    this.options = options;
    this.#current = 0;
    this.#streams = new Turns(mostStreams);
    this.#loads = new Turns(mostLoads);
    this.#closed = false;
    this.#fetch = options.fetch ?? ((...given) => fetch(...given));
    this.#pulses = all.map(({ href }) => {
      const ask = (signal) =>
        this.#send(href, "/healthz", {
          signal,
        }).then((answer) => answer.arrayBuffer());
      // In a page the question could wait behind the requests.
      return new Pulse(href, options.heartbeat, isPage ? undefined : ask);
    });
  }
  get address() {
    return this.all[this.#current].href;
  }
  async call(method, params, until, signal) {
    // What cancels a load must not wait behind it.
    const leave = method.startsWith("image.") ? await this.#loads.take(signal, until) : undefined;
    try {
      // fetch does not tell whether it has reached anybody: where a second try is none, a coordinator that answers is found first.
      if (unrepeatable.has(method)) await repeat("system.ping", until, signal, () => this.#once("system.ping", {}, until, signal));
      return await repeat(method, until, signal, () => this.#once(method, params, until, signal));
    } finally {
      leave?.();
    }
  }
  async #once(method, params, until, signal) {
    const body = JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method,
      params,
    });
    return await this.#request(
      method,
      "/rpc",
      {
        method: "POST",
        body,
        headers: {
          "Content-Type": "application/json",
        },
      },
      until,
      signal,
      async (response) => {
        const answer = await json(response);
        // A limit of the client has the status 429, and the answer of the method all the same.
        if (answer?.error && typeof answer.error.code === "number") throw new TintypeError(answer.error);
        if (!response.ok || !answer) throw refusal(response, answer);
        return answer.result;
      },
    );
  }
  async follow(work, sink, until, signal) {
    const leave = await this.#streams.take(signal, until);
    const { receipt, request } = work;
    let isSubmitted = request === undefined;
    let last = "";
    try {
      return await repeat("image.submit", until, signal, async () => {
        if (request && !isSubmitted) {
          const event = terminal(await this.#once("image.submit", request, until, signal));
          if (event) return event;
          isSubmitted = true;
        }
        try {
          for await (const { id, event } of this.#stream(`receipt=${encodeURIComponent(receipt)}`, last, until, signal)) {
            if (id) last = id;
            if (isTerminal(event)) return await this.#whole(event, work, until, signal);
            const shown = await this.#shown(event, signal);
            if (shown) sink(shown);
          }
          // The stream has ended without a last event: its coordinator stops, or the client has the last event.
          const event = terminal(
            await this.#once(
              "receipt.get",
              {
                receipt,
              },
              until,
              signal,
            ),
          );
          if (event) return event;
        } catch (error) {
          if (!(error instanceof TintypeError) || error.name !== "unknownReceipt" || !request) throw error;
          // Redis has lost it.
          isSubmitted = false;
        }
        throw new LostWay("the stream of events has ended early", true);
      });
    } finally {
      leave();
    }
  }
  /** A terminal event of a stream has no bytes and no documents. */ async #whole(event, { receipt, request }, until, signal) {
    if (event.type !== "succeeded" || request && request.deliver !== "inline" && (request.as ?? "image") === "image") return event;
    const state = await this.call(
      "receipt.get",
      {
        receipt,
      },
      until,
      signal,
    );
    return {
      ...event,
      result: state.result ?? event.result,
    };
  }
  /** A preview of a stream has a key in place of its bytes, for ten seconds. */ async #shown(event, signal) {
    if (event.type !== "preview" || typeof event.key !== "string") return event;
    try {
      const response = await this.#send(this.address, `/images/${event.key}`, {
        signal,
      });
      return response.ok
        ? {
          ...event,
          data: new Uint8Array(await response.arrayBuffer()),
        }
        : undefined;
    } catch {
      return undefined;
    }
  }
  async *watch(queue, signal) {
    const backoff = new Backoff();
    const leave = await this.#streams.take(signal);
    let last = "";
    try {
      for (;;) {
        try {
          for await (const { id, event } of this.#stream(`queue=${encodeURIComponent(queue)}`, last, Infinity, signal)) {
            if (id) last = id;
            backoff.reset();
            if (event.type !== "state") yield event;
          }
          await pause(backoff.next(), signal);
        } catch (error) {
          signal.throwIfAborted();
          const seconds = delay(error, "events.subscribe", backoff);
          if (seconds === undefined) throw error;
          await pause(seconds, signal);
        }
      }
    } finally {
      leave();
    }
  }
  /** One stream of events. Bytes are read as the events are taken, so that a slow reader slows the coordinator down. */ async *#stream(
    query,
    last,
    until,
    signal,
  ) {
    const place = this.#current;
    const watched = this.#pulses[place].enter("GET /events", until, signal);
    const silent = new AbortController();
    let timer;
    const heard = () => {
      watched.heard();
      clearTimeout(timer);
      timer = setTimeout(() => silent.abort(new LostWay("the stream of events is silent", true)), mostSilence);
    };
    try {
      heard();
      const headers = {
        Accept: "text/event-stream",
        ...last
          ? {
            "Last-Event-ID": last,
          }
          : {},
      };
      const response = await this.#send(this.address, `/events?${query}`, {
        headers,
        signal: AbortSignal.any([
          watched.signal,
          silent.signal,
        ]),
      });
      if (response.status === 204) return;
      if (!response.ok || !response.body) throw refusal(response, await json(response));
      const events = new ServerEvents();
      const reader = response.body.getReader();
      try {
        for (;;) {
          const { done, value } = await reader.read();
          if (done) return;
          heard();
          for (const { id, type, data } of events.take(value)) {
            yield {
              id,
              event: {
                ...JSON.parse(data),
                type,
              },
            };
          }
        }
      } finally {
        reader.cancel().catch(() => {});
      }
    } catch (error) {
      throw this.#failure(error, place, signal);
    } finally {
      clearTimeout(timer);
      watched.leave();
    }
  }
  async bytes(rendition, signal) {
    const path = rendition.url ?? (rendition.key && `/images/${rendition.key}`);
    if (!path) {
      throw TintypeError.make("cacheMiss", "the result has no key: its request keeps no bytes", {
        phase: "cache",
      });
    }
    const until = performance.now() + 30_000;
    return await repeat("GET /images", until, signal, () =>
      this.#request(`GET ${path}`, path, {}, until, signal, async (response) => {
        if (!response.ok) throw refusal(response, await json(response));
        return {
          data: new Uint8Array(await response.arrayBuffer()),
          type: response.headers.get("Content-Type") ?? unknownType,
        };
      }));
  }
  /** Keeps bytes as a source for a while. */ async upload(body, until, signal) {
    return await repeat("PUT /uploads", until, signal, () => {
      // A stream that has been read cannot be sent again.
      if (body instanceof ReadableStream && body.locked) throw TintypeError.make("storeFailed", "the upload broke off: its stream cannot be sent again");
      const init = {
        method: "PUT",
        body,
        ...body instanceof ReadableStream
          ? {
            duplex: "half",
          }
          : {},
      };
      return this.#request("PUT /uploads", "/uploads", init, until, signal, async (response) => {
        const answer = await json(response);
        if (!response.ok) throw refusal(response, answer);
        return answer;
      });
    });
  }
  close() {
    this.#closed = true;
    for (const pulse of this.#pulses) pulse.end(closed());
  }
  async #request(what, path, init, until, signal, read) {
    if (this.#closed) throw closed();
    const place = this.#current;
    const watched = this.#pulses[place].enter(what, until, signal);
    try {
      const response = await this.#send(this.all[place].href, path, {
        ...init,
        signal: watched.signal,
      });
      watched.heard();
      return await read(response);
    } catch (error) {
      throw this.#failure(error, place, signal);
    } finally {
      watched.leave();
    }
  }
  async #send(base, path, init) {
    const { token } = this.options;
    const headers = new Headers(init.headers);
    if (token !== undefined) headers.set("Authorization", `Bearer ${typeof token === "string" ? token : await token()}`);
    return await this.#fetch(base + path, {
      ...init,
      headers,
    });
  }
  /** Reads a failure, and turns to the next coordinator after one of the connection. */ #failure(error, place, signal) {
    if (signal?.aborted) return signal.reason;
    const failure = error instanceof TintypeError
      ? error
      : isCertificateFault(error)
      ? TintypeError.make("tls", `${this.all[place].href}: ${error instanceof Error ? error.message : error}`, {
        retryable: false,
      })
      : new LostWay(`${this.all[place].href}: ${error instanceof Error ? error.message : error}`, true, {
        cause: error,
      });
    if (failure instanceof LostWay || failure.name === "shuttingDown" || failure.name === "tls") {
      if (place === this.#current) this.#current = (place + 1) % this.all.length;
    }
    return failure;
  }
}
async function json(response) {
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
const names = {
  400: "invalidParams",
  401: "unauthenticated",
  403: "forbidden",
  404: "cacheMiss",
  408: "unavailable",
  413: "limitExceeded",
  429: "overloaded",
  502: "unavailable",
  503: "unavailable",
  504: "unavailable",
};
/** Returns the error of an answer that is none of a method: the server has not read the message. */ function refusal(response, body) {
  const given = body?.error;
  if (given && typeof given.code === "number") return new TintypeError(given);
  const seconds = Number(response.headers.get("Retry-After") ?? NaN);
  // A query may have a secret.
  const message = `${response.url.replace(/[?#].*/, "")}: status ${response.status}${given?.message ? `: ${given.message}` : ""}`;
  const more = {
    status: response.status,
    ...seconds >= 0
      ? {
        retryAfter: seconds,
      }
      : {},
    ...given?.name
      ? {
        reason: given.name,
      }
      : {},
  };
  return TintypeError.make(names[response.status] ?? "internal", message, more);
}
/** Reads an event of the service. */ function taskEvent(wire, make) {
  const { result, error, data, seq: _, requestId: _id, subscription: _name, ...rest } = wire;
  switch (wire.type) {
    case "succeeded":
    case "cached":
      return {
        ...rest,
        image: make.image(result),
      };
    case "failed":
    case "retrying":
      return {
        ...rest,
        error: new TintypeError(error),
      };
    case "rendition": {
      const { receipt, at, queue, traceparent, tag, userInfo, group, type, ...info } = rest;
      const facts = Object.entries({
        receipt,
        at,
        queue,
        traceparent,
        tag,
        userInfo,
        group,
        type,
      }).filter(([, value]) => value !== undefined);
      return {
        ...Object.fromEntries(facts),
        rendition: make.rendition(info),
      };
    }
    case "preview":
      return {
        ...rest,
        data: typeof data === "string" ? decode(data) : data,
      };
    default:
      return rest;
  }
}
/** A fetch that has failed for good. */ export class Dead {
  id;
  url;
  attempts;
  at;
  retryable;
  /** Why. */ failure;
  error;
  #queue;
  constructor(letter, queue) {
    ({ id: this.id, url: this.url, attempts: this.attempts, at: this.at, retryable: this.retryable, error: this.error } = letter);
    this.failure = new TintypeError(letter.error);
    this.#queue = queue;
  }
  /** Queues it again, under the receipt `retry-ID`. Returns whether it was still there. */ async retry() {
    return await this.#queue.retry([
      this.id,
    ]) > 0;
  }
  /** Forgets it. */ async remove() {
    return await this.#queue.remove([
      this.id,
    ]) > 0;
  }
}
/** One queue of the service. */ export class Queue {
  name;
  #host;
  constructor(name, host) {
    this.name = name;
    this.#host = host;
  }
  /** Returns its limits and numbers. */ get() {
    return this.#host.call("queue.get", {
      queue: this.name,
    });
  }
  /** Changes it, or makes it. */ configure(settings) {
    return this.#host.call("queue.configure", {
      ...settings,
      queue: this.name,
    });
  }
  /** Begins no more fetches. Running ones go on. */ pause() {
    return this.#host.call("queue.pause", {
      queue: this.name,
    });
  }
  resume() {
    return this.#host.call("queue.resume", {
      queue: this.name,
    });
  }
  /** Cancels every receipt. */ cancelAll() {
    return this.#host.call("queue.cancelAll", {
      queue: this.name,
    });
  }
  /** All fetches that have failed for good, the newest first. */ async *deadLetters() {
    let cursor;
    do {
      const page = await this.#host.call("dead.list", {
        queue: this.name,
        ...cursor === undefined ? {} : {
          cursor,
        },
      });
      for (const letter of page.items) yield new Dead(letter, this);
      cursor = page.cursor;
    } while (cursor !== undefined);
  }
  /** Queues dead letters again. Returns how many. */ async retry(ids) {
    return (await this.#host.call("dead.retry", {
      queue: this.name,
      ids,
    })).retried;
  }
  /** Forgets dead letters. Returns how many. */ async remove(ids) {
    return (await this.#host.call("dead.remove", {
      queue: this.name,
      ids,
    })).removed;
  }
  /** The ends of all its receipts from now on, until the loop is left. A `gap` says that some are missing. */ async *events(signal) {
    const stop = new AbortController();
    const abort = () => stop.abort(signal?.reason);
    if (signal?.aborted) abort();
    signal?.addEventListener("abort", abort, {
      once: true,
    });
    try {
      for await (const event of this.#host.watch(this.name, stop.signal)) yield taskEvent(event, this.#host);
    } finally {
      signal?.removeEventListener("abort", abort);
      stop.abort();
    }
  }
}
/** Returns an id for a receipt that nobody can guess. Unlike `crypto.randomUUID`, it works in pages without TLS too. */ function receiptID() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
/** A reader that is further behind loses the oldest events that may be lost, and is told by a gap. */ const most = 256;
/** Events of one kind of which only the latest counts. */ const replaced = new Set([
  "progress",
  "preview",
  "state",
]);
/** Events that no reader loses: results and ends, of which a request has few. */ const kept = new Set([
  "cached",
  "rendition",
  "succeeded",
  "failed",
  "cancelled",
]);
_computedKey1 = Symbol.asyncIterator;
/**
 * Events for any number of readers, each at its own pace, in bounded memory: a new progress replaces one that is not read yet.
 *
 * A reader that comes later begins with what has happened.
 */
class EventLog {
  gap;
  #past;
  #readers;
  #hasEnded;
  /** @param gap Makes the event that stands for lost ones. */ constructor(gap) {
    this.gap = gap;
    this.#past = [];
    this.#readers = new Set();
    this.#hasEnded = false;
  }
  /** The latest event of a type. */ latest(type) {
    return this.#past.findLast((event) => event.type === type);
  }
  push(event) {
    this.#add(this.#past, event);
    for (const reader of this.#readers) {
      this.#add(reader.waiting, event);
      reader.wake();
    }
  }
  /** No event follows. */ end() {
    this.#hasEnded = true;
    for (const reader of this.#readers) reader.wake();
  }
  async *[_computedKey1]() {
    const reader = {
      waiting: [
        ...this.#past,
      ],
      wake: () => {},
    };
    this.#readers.add(reader);
    try {
      for (;;) {
        const event = reader.waiting.shift();
        if (event) yield event;
        else if (this.#hasEnded) return;
        else await new Promise((resolve) => reader.wake = resolve);
      }
    } finally {
      this.#readers.delete(reader);
    }
  }
  #add(list, event) {
    if (replaced.has(event.type)) {
      const place = list.findIndex((one) => one.type === event.type);
      if (place >= 0) list.splice(place, 1);
    }
    list.push(event);
    if (list.length <= most) return;
    // The oldest that may be lost gives way, and stays as a gap.
    const isLosable = (one) => !kept.has(one.type);
    const place = list.findIndex(isLosable);
    if (place < 0) return;
    list[place] = this.gap();
    const next = list.findIndex((one, index) => index > place && isLosable(one));
    if (next >= 0) list.splice(next, 1);
  }
}
_computedKey2 = Symbol.asyncIterator;
/**
 * One submitted request. Await it for the image, or loop over its events with `for await`, or both.
 *
 * A lost connection does not end it: the receipt is taken up again by its id, also at another coordinator.
 */
export class ImageTask {
  /** The id by which any client can ask for it. */ receipt;
  /** The image, or the reason why there is none. */ image;
  #host;
  #log;
  #stop = new AbortController();
  #state = "queued";
  #hasEnded = false;
  #options;
  #rendered = new Set();
  #attempt = 0;
  constructor(receipt, host, options = {}) {
    this.receipt = receipt;
    this.#host = host;
    this.#options = options;
    this.#log = new EventLog(() => ({
      type: "gap",
      receipt,
    }));
    this.image = this.#run();
    // Who reads the events alone learns of a failure there.
    this.image.catch(() => {});
  }
  /** Where it is, by the latest event. */ get state() {
    return this.#state;
  }
  /** The latest progress, with `progress: true`. */ get progress() {
    return this.#log.latest("progress");
  }
  then(fulfilled, rejected) {
    return this.image.then(fulfilled, rejected);
  }
  catch(rejected) {
    return this.image.catch(rejected);
  }
  finally(settled) {
    return this.image.finally(settled);
  }
  /** All events, from the first one on, up to the terminal one. A failure is an event here, and no exception. */ [_computedKey2]() {
    return this.#log[Symbol.asyncIterator]();
  }
  /** Cancels the task. Its download ends when nobody else wants it. */ async cancel() {
    // The submit may be on its way still.
    for (let tries = 0; tries < 20 && !this.#hasEnded; tries++) {
      const { reason } = await this.#host.call("receipt.cancel", {
        receipt: this.receipt,
      });
      if (reason !== "unknown") return;
      await pause(0.1);
    }
  }
  /** Changes its priority while it waits. */ async setPriority(priority) {
    await this.#ask("receipt.setPriority", {
      priority,
    });
  }
  /** Pauses it. Its deadline goes on. */ async pause() {
    await this.#ask("receipt.pause");
  }
  /** Lets it go on at its old place. */ async resume() {
    await this.#ask("receipt.resume");
  }
  /** Asks for its state. */ async get() {
    return await this.#ask("receipt.get");
  }
  /** Calls a method of the receipt. Its submit may be on its way still: for two seconds, a receipt that is not known yet is asked for again. */ async #ask(
    method,
    more = {},
  ) {
    for (let tries = 1;; tries++) {
      try {
        return await this.#host.call(method, {
          ...more,
          receipt: this.receipt,
        });
      } catch (error) {
        const isEarly = error instanceof TintypeError && error.name === "unknownReceipt" && !this.#options.isTakenUp && !this.#hasEnded;
        if (!isEarly || tries >= 20) throw error;
      }
      await pause(0.1);
    }
  }
  async #run() {
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
      signal?.addEventListener("abort", abort, {
        once: true,
      });
      const last = await this.#host.follow((event) => this.#take(event), this.#stop.signal);
      return this.#end(last);
    } catch (error) {
      if (error instanceof TintypeError && !this.#log.latest("failed") && !this.#log.latest("cancelled")) {
        this.#push({
          type: "failed",
          receipt,
          error,
        });
      } else if (signal?.aborted && !isTakenUp) {
        this.#push({
          type: "cancelled",
          receipt,
          reason: "aborted",
        });
      }
      throw error;
    } finally {
      signal?.removeEventListener("abort", abort);
      // An aborted task has still to be canceled in the service.
      this.#hasEnded = !signal?.aborted;
      this.#log.end();
    }
  }
  #take(event) {
    // A receipt that is taken up again may tell what is known.
    if (event.type === "rendition") {
      if (this.#rendered.has(event.name)) return;
      this.#rendered.add(event.name);
    } else if (event.type === "started") {
      const attempt = Number(event.attempt ?? 0);
      if (attempt <= this.#attempt) return;
      this.#attempt = attempt;
    }
    this.#push(taskEvent({
      ...event,
      receipt: this.receipt,
    }, this.#host));
  }
  #push(event) {
    this.#state = stateAfter(event) ?? this.#state;
    this.#log.push(event);
  }
  #end(last) {
    const { receipt } = this;
    if (last.type === "succeeded") {
      const result = last.result;
      const image = this.#host.image(result);
      // Those that no event has told of, because a connection was lost.
      if (this.#options.hasProgress) {
        for (const rendition of result.renditions ?? []) {
          this.#take({
            ...rendition,
            type: "rendition",
          });
        }
      }
      this.#push({
        ...taskEvent({
          ...last,
          receipt,
        }, this.#host),
        image,
      });
      return image;
    }
    this.#take(last);
    if (last.type === "failed") throw new TintypeError(last.error);
    const name = last.reason === "superseded" ? "superseded" : "cancelled";
    throw TintypeError.make(name, `the receipt ${receipt} was cancelled${last.reason ? `: ${last.reason}` : ""}`, {
      reason: last.reason,
      phase: last.phase,
    });
  }
}
function stateAfter(event) {
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
/** Seconds for the way to the service and back, beside the deadline of a request. */ const grace = 5;
/** Seconds for which a receipt goes on without its client (docs/protocol.md, Disconnecting). After them a cancel comes too late. */ const receiptGrace = 30;
/** Withdrawals without an answer. Further ones are left out, and the grace ends their receipts. */ const mostWithdrawals = 1000;
_computedKey3 = Symbol.asyncDispose;
/**
 * A client of Tintype.
 *
 * It connects when it is first used, finds another coordinator when one is lost, and repeats what may be repeated.
 * One client is enough for a program: it may have any number of requests under way.
 */
export class Tintype {
  /** The caches of the service. */ cache;
  #transport;
  #options;
  /** Where the bytes are. */ #web;
  #withdrawals = 0;
  /**
   * @param url One address or several: `tcp://HOST:7411`, `tls://HOST:7411`, `http://HOST:7412` or `https://HOST`. In a page `/` means its own server.
   * @throws TypeError when an address cannot be read.
   */
  constructor(url, options = {}) {
    const all = addresses(url);
    const { token, tls, connectTimeout = 5, heartbeat = 5, http } = options;
    const web = {
      ...token === undefined ? {} : {
        token,
      },
      ...options.fetch
        ? {
          fetch: options.fetch,
        }
        : {},
      heartbeat,
    };
    this.#options = options;
    this.cache = new Caches(this);
    if (all[0].kind === "http") {
      this.#transport = this.#web = new HTTPTransport(all, web);
    } else {
      this.#transport = new TCPTransport(
        new Connector(all, {
          connectTimeout,
          heartbeat,
          ...token === undefined ? {} : {
            token,
          },
          ...tls
            ? {
              tls,
            }
            : {},
        }),
      );
      if (http !== undefined) {
        this.#web = new HTTPTransport([
          address(http),
        ], web);
      }
    }
  }
  /** The address of the coordinator in use. */ get address() {
    return this.#transport.address;
  }
  /**
   * Loads an image.
   *
   * When the connection is lost, the request is repeated: the service shares a download that still runs, and answers from its caches.
   * A request whose repetition could have a second effect gets a receipt, under which the service knows it again.
   *
   * @throws TintypeError as the service answers; `connect` or `connectionLost` when no coordinator answers in time; the reason of the signal.
   */
  async load(source, transform, options = {}) {
    const request = this.#request(source, transform, options);
    const named = request.receipt === undefined && hasEffects(request)
      ? {
        ...request,
        receipt: receiptID(),
      }
      : request;
    try {
      return this.image(await this.#transport.call("image.load", this.#traced(named), this.#until(request), options.signal));
    } catch (error) {
      // A receipt goes on for a while without its client: over HTTP, and where its connection was lost before.
      if (options.signal?.aborted && named.receipt !== undefined) this.#withdraw(named.receipt);
      throw error;
    }
  }
  /**
   * Submits an image and returns at once. Await the task for the image, or loop over its events.
   *
   * The request has a receipt, which is taken up again after a lost connection: nothing is asked twice.
   */
  submit(source, transform, options = {}) {
    const request = this.#request(source, transform, options);
    const receipt = request.receipt ?? receiptID();
    const params = this.#traced({
      ...request,
      receipt,
    });
    return new ImageTask(receipt, {
      ...this.#tasks,
      follow: (sink, signal) =>
        this.#transport.follow(
          {
            receipt,
            request: params,
          },
          sink,
          this.#until(request),
          signal,
        ),
    }, {
      hasProgress: Boolean(request.progress),
      ...options.signal
        ? {
          signal: options.signal,
        }
        : {},
    });
  }
  /**
   * Takes up a receipt that this or another client has submitted.
   *
   * @param options A signal ends the watch, and the receipt goes on; `timeout` is the seconds after which the task gives up, 600 by default.
   */
  task(receipt, options = {}) {
    const { signal, timeout = 600 } = options;
    return new ImageTask(receipt, {
      ...this.#tasks,
      follow: (sink, stop) =>
        this.#transport.follow(
          {
            receipt,
          },
          sink,
          performance.now() + timeout * 1000,
          stop,
        ),
    }, {
      isTakenUp: true,
      ...signal
        ? {
          signal,
        }
        : {},
    });
  }
  /** What all tasks need. */ get #tasks() {
    return {
      call: (method, params) => this.#transport.call(method, params, this.#until()),
      image: (result) => this.image(result),
      rendition: (info) => this.rendition(info),
    };
  }
  /** Describes a source: its size, format and what `describe` asks for. Reads no more of it than that needs. */ async probe(source, options = {}) {
    const request = this.#request(source, undefined, options);
    return await this.#transport.call("image.probe", this.#traced(request), this.#until(request), options.signal);
  }
  /** Loads images into the caches, a few at a time. Failed ones are skipped. */ prefetch(sources, transform, options = {}) {
    const { concurrency, signal, ...rest } = options;
    const items = sources.map((source) => this.#item(this.#request(source, transform, rest)));
    return this.#group(
      "prefetch.start",
      {
        items,
        ...concurrency === undefined ? {} : {
          concurrency,
        },
      },
      items.length,
      signal,
      (state, events) => {
        const errors = events.flatMap((event) =>
          event?.type === "failed"
            ? [
              {
                index: event.index,
                error: event.error,
              },
            ]
            : []
        );
        return {
          finished: state.finished,
          skipped: state.skipped ?? errors.length,
          errors,
        };
      },
    );
  }
  batch(requests, options = {}) {
    const { signal, ...rest } = options;
    const items = requests.map((request) => this.#item(request));
    return this.#group(
      "batch.start",
      {
        items,
        ...rest,
      },
      items.length,
      signal,
      (_, events) => {
        return events.map((event) => options.mode === "settleAll" ? settled(event) : event.image);
      },
    );
  }
  /** Loads images one after the other. A text such as `${steps[0].source.finalURL}` in a step stands for that member of an earlier result. */ chain(
    steps,
    options = {},
  ) {
    const { signal, ...rest } = options;
    return this.#group(
      "chain.start",
      {
        steps: steps.map((step) => this.#item(step)),
        ...rest,
      },
      steps.length,
      signal,
      (_, events) => {
        return events.map((event) => event.image);
      },
    );
  }
  /** Returns the handle of a queue. */ queue(name = "default") {
    return new Queue(name, this);
  }
  /**
   * Keeps bytes as a source for a while, over HTTP.
   *
   * @returns `url`, which stands wherever a request names a URL.
   */
  async upload(bytes, options = {}) {
    if (!this.#web) throw new TypeError("an upload needs HTTP: give the address of an HTTP port as the option http");
    return await this.#web.upload(bytes, performance.now() + 300_000, options.signal);
  }
  async call(method, params, options = {}, signal) {
    const given = typeof options === "number"
      ? {
        timeout: options,
        signal,
      }
      : options;
    return await this.#transport.call(method, this.#traced(params), this.#until(params, given.timeout), given.signal);
  }
  /** Ends the connection. Calls that have no answer yet fail; receipts and groups go on in the service. */ close() {
    this.#transport.close();
    this.#web?.close();
  }
  [_computedKey3]() {
    this.close();
    return Promise.resolve();
  }
  /** @internal */ image(result) {
    return new LoadedImage(result, this.#web?.address, (rendition, signal) => this.#bytes(rendition, signal));
  }
  /** @internal */ rendition(info) {
    return new Rendition(
      info,
      info.url !== undefined && this.#web ? this.#web.address + info.url : undefined,
      (rendition, signal) => this.#bytes(rendition, signal),
    );
  }
  /** @internal */ watch(queue, signal) {
    return this.#transport.watch(queue, signal);
  }
  /** Cancels a receipt that nobody waits for any more, on the next connection if there is none. */ #withdraw(receipt) {
    if (this.#withdrawals >= mostWithdrawals) return;
    this.#withdrawals++;
    const until = performance.now() + receiptGrace * 1000;
    this.#transport.call("receipt.cancel", {
      receipt,
    }, until).catch(() => {}).finally(() => this.#withdrawals--);
  }
  #bytes(rendition, signal) {
    return (this.#web ?? this.#transport).bytes(rendition, signal);
  }
  #request(source, transform, options) {
    const { format, quality, signal: _, ...rest } = options;
    const request = this.#withDefaults(rest);
    if (Array.isArray(source)) request.urls = source.map(String);
    else request.url = String(source);
    if (transform?.length) request.transform = transform;
    if (format !== undefined || quality !== undefined) {
      request.output = {
        ...request.output,
        ...format === undefined ? {} : {
          format,
        },
        ...quality === undefined ? {} : {
          quality,
        },
      };
    }
    return request;
  }
  /** An item of a group has a receipt of the client, by which the service knows it as long as other requests. */ #item(request) {
    return {
      receipt: receiptID(),
      ...this.#withDefaults(request),
    };
  }
  /** Fills in the defaults. Renditions have operations and formats of their own. */ #withDefaults(request) {
    const { transform, output, ...defaults } = this.#options.defaults ?? {};
    const outputs = {
      ...transform
        ? {
          transform,
        }
        : {},
      ...output
        ? {
          output,
        }
        : {},
    };
    return {
      ...defaults,
      ...request.renditions ? {} : outputs,
      ...request,
    };
  }
  #group(method, params, total, signal, end) {
    const start = async () => {
      signal?.throwIfAborted();
      // The signal cancels the group by its id, which has to come.
      return (await this.#transport.call(method, this.#traced(params), this.#until())).group;
    };
    return new GroupTask(this, start, total, end, signal);
  }
  /** The parameters, and the caller's place in a trace. */ #traced(params) {
    const place = this.#options.trace?.();
    return place && Object.keys(place).length > 0
      ? {
        ...params,
        _meta: place,
      }
      : params;
  }
  /** When a call is given up, by `performance.now()`. */ #until(request = {}, timeout) {
    const own = request.url !== undefined || request.urls !== undefined ? (request.deadline ?? 30) + grace : undefined;
    return performance.now() + ((timeout ?? own ?? this.#options.timeout ?? 30) + (request.wait ?? 0)) * 1000;
  }
}
/** Whether a request that is made twice could do something twice. No memory answers such a request, so that a receipt costs nothing more. */ function hasEffects(
  request,
) {
  const { cache, fetch: fetch1 } = request;
  const asksTwice = cache?.policy !== undefined && cache.policy !== "default" && cache.policy !== "only";
  return asksTwice || (cache?.ttl ?? 0) < 0 || cache?.pin === true || request.slot !== undefined || request.saveTo !== undefined ||
    request.callback !== undefined || (fetch1?.method ?? "GET") !== "GET";
}
function settled(event) {
  if (event?.type === "image") {
    return {
      status: "fulfilled",
      value: event.image,
    };
  }
  return {
    status: "rejected",
    reason: event?.error ?? TintypeError.make("cancelled", "the item was cancelled with its group"),
  };
}
const fits = {
  inside: "fit",
  cover: "fill",
  coverDown: "fill-down",
  auto: "auto",
  fill: "force",
};
const places = {
  center: "ce",
  top: "no",
  topRight: "noea",
  right: "ea",
  bottomRight: "soea",
  bottom: "so",
  bottomLeft: "sowe",
  left: "we",
  topLeft: "nowe",
  attention: "sm",
};
/**
 * Makes URLs for the picture door, in the form of imgproxy, without asking the service.
 *
 * The key belongs on a server: in a page everybody could read it, and sign any URL.
 */
export class Signer {
  #base;
  #salt;
  #key;
  /** @throws TypeError when key or salt are not hexadecimal, or one is missing. */ constructor(options) {
    this.#base = options.base?.replace(/\/+$/, "") ?? "";
    this.#salt = bytes(options.salt ?? "");
    if (options.key === undefined !== (options.salt === undefined)) throw new TypeError("give both the key and the salt, or none of them for unsigned URLs");
    if (options.key !== undefined) {
      this.#key = crypto.subtle.importKey(
        "raw",
        bytes(options.key),
        {
          name: "HMAC",
          hash: "SHA-256",
        },
        false,
        [
          "sign",
        ],
      );
    }
  }
  /** Returns the URL of a picture. */ async url(source, options = {}) {
    const path = picturePath(String(source), options);
    return `${this.#base}/${await this.signature(path)}${path}`;
  }
  /** Returns the value of an attribute `srcset`: the same picture in several widths. */ async srcset(source, widths, options = {}) {
    const { width, height } = options;
    // The shape of the picture stays that of width and height.
    const heights = (one) =>
      width && height
        ? {
          height: Math.round(one * height / width),
        }
        : {};
    const urls = await Promise.all(widths.map((one) =>
      this.url(source, {
        ...options,
        width: one,
        ...heights(one),
      })
    ));
    return urls.map((url, index) => `${url} ${widths[index]}w`).join(", ");
  }
  /** Returns the signature of a path: the part of a URL behind the signature, with its first slash. */ async signature(path) {
    if (!this.#key) return "unsafe";
    const text = new TextEncoder().encode(path);
    const message = new Uint8Array(this.#salt.length + text.length);
    message.set(this.#salt);
    message.set(text, this.#salt.length);
    return base64url(new Uint8Array(await crypto.subtle.sign("HMAC", await this.#key, message)));
  }
}
/** Returns the part of a URL that is signed. Pure. */ function picturePath(source, options) {
  const { width, height, fit, gravity, enlarge, dpr, quality, format, preset, expires, fallback, cacheBuster } = options;
  const parts = [];
  const add = (name, ...values) =>
    parts.push([
      name,
      ...values,
    ].join(":"));
  if (preset !== undefined) {
    add(
      "pr",
      ...[
        preset,
      ].flat(),
    );
  }
  if (fit !== undefined || width !== undefined && height !== undefined) add("rs", fits[fit ?? "inside"], width ?? 0, height ?? 0);
  else if (width !== undefined) add("w", width);
  else if (height !== undefined) add("h", height);
  if (enlarge) add("el", 1);
  if (gravity !== undefined) add("g", places[gravity]);
  if (dpr !== undefined) add("dpr", dpr);
  if (quality !== undefined) add("q", quality);
  if (fallback !== undefined) add("fiu", base64url(new TextEncoder().encode(String(fallback))));
  if (expires !== undefined) add("exp", Math.floor(expires.getTime() / 1000));
  if (cacheBuster !== undefined) add("cb", cacheBuster);
  if (options.options) parts.push(options.options.replace(/^\/+|\/+$/g, ""));
  const encoded = base64url(new TextEncoder().encode(source));
  return `/${
    [
      ...parts,
      encoded,
    ].join("/")
  }${format === undefined ? "" : `.${format === "heif" ? "heic" : format}`}`;
}
function base64url(data) {
  return btoa(Array.from(data, (byte) => String.fromCharCode(byte)).join("")).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}
function bytes(hex) {
  if (!/^([0-9a-fA-F]{2})*$/.test(hex)) throw new TypeError("key and salt are pairs of hexadecimal digits");
  return Uint8Array.from({
    length: hex.length / 2,
  }, (_, index) => parseInt(hex.slice(2 * index, 2 * index + 2), 16));
}
