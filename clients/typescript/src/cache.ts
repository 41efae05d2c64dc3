import { TintypeError } from "./errors.ts";
import type { CacheGetParams, CachePurgeParams, CachePutParams, ImageRequest, ImageResult, Methods, Tier } from "./generated.ts";
import type { LoadedImage } from "./image.ts";
import type { Removed, TierStats } from "./answers.ts";

/** What the handles of caches and queues need of their client. */
export interface Caller {
  call<Name extends keyof Methods>(
    method: Name,
    params: Methods[Name]["params"],
    options?: { readonly signal?: AbortSignal },
  ): Promise<Methods[Name]["result"]>;
  image(result: ImageResult): LoadedImage;
}

/** A picture in the caches: its key, or the request that made it. */
export type Kept = string | ImageRequest;

/** The caches of the service. Nothing here asks an origin. */
export class Caches {
  #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /** Returns a kept picture; nothing when none is kept. */
  async get(kept: Kept, tier?: Tier): Promise<LoadedImage | undefined> {
    try {
      return this.#caller.image(await this.#caller.call("cache.get", target(kept, { tier })));
    } catch (error) {
      if (error instanceof TintypeError && error.name === "cacheMiss") return undefined;
      throw error;
    }
  }

  /** Returns the tiers that keep a picture. */
  async contains(kept: Kept, tier?: Tier): Promise<readonly Tier[]> {
    return (await this.#caller.call("cache.contains", target(kept, { tier }))).tiers;
  }

  /**
   * Keeps bytes as the one rendition of a request, up to 3 MiB.
   *
   * @param kept The request, or a key of your own.
   * @param ttl Seconds to keep them. Default: an hour.
   * @returns The key.
   */
  async put(kept: Kept, bytes: Uint8Array, ttl?: number): Promise<string> {
    return (await this.#caller.call("cache.put", target(kept, { data: encode(bytes), ttl }) as CachePutParams)).key;
  }

  /** Removes a picture. */
  async remove(kept: Kept, tier?: Tier): Promise<Removed> {
    return await this.#caller.call("cache.remove", target(kept, { tier }));
  }

  /** Replaces the metadata of a picture; without any, removes it. */
  async setMetadata(kept: Kept, metadata?: Readonly<Record<string, string>>): Promise<number> {
    return (await this.#caller.call("cache.setMetadata", target(kept, { metadata }))).changed;
  }

  /** Removes everything that came from a URL, from URLs with a prefix, or that has a tag. */
  async purge(what: CachePurgeParams): Promise<Methods["cache.purge"]["result"]> {
    return await this.#caller.call("cache.purge", what);
  }

  /** Keeps a result until it expires, though the store is full. */
  async pin(kept: Kept): Promise<number> {
    return (await this.#caller.call("cache.pin", target(kept))).pinned;
  }

  /** Takes the pin away. */
  async unpin(kept: Kept): Promise<number> {
    return (await this.#caller.call("cache.unpin", target(kept))).unpinned;
  }

  /** Removes what has expired, and what is above the limits. */
  async trim(tier?: Tier): Promise<Removed> {
    return await this.#caller.call("cache.trim", tier ? { tier } : {});
  }

  /** Empties one tier, or all. */
  async clear(tier?: Tier): Promise<Removed> {
    return await this.#caller.call("cache.clear", tier ? { tier } : {});
  }

  /** Returns how much each tier has. */
  async stats(tier?: Tier): Promise<{ readonly [name in Tier]?: TierStats }> {
    return await this.#caller.call("cache.stats", tier ? { tier } : {});
  }
}

function target<More extends object>(kept: Kept, more?: More): CacheGetParams & More {
  const given = Object.fromEntries(Object.entries(more ?? {}).filter(([, value]) => value !== undefined)) as More;
  return { ...(typeof kept === "string" ? { key: kept } : kept), ...given };
}

/** Returns a text in base64, in pieces that fit on the stack. */
export function encode(bytes: Uint8Array): string {
  let text = "";
  for (let start = 0; start < bytes.length; start += 8192) text += String.fromCharCode(...bytes.subarray(start, start + 8192));
  return btoa(text);
}
