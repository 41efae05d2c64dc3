// Made by build.ts from the modules in src: change those.

/**
 * The element `<tintype-image>`: a placeholder at once, then the picture, fading in.
 *
 * ```html
 * <tintype-image src="…" srcset="… 320w, … 640w" sizes="320px" width="320" height="240" thumbhash="…" fallback="…" alt="A beach"></tintype-image>
 * ```
 *
 * Importing this file defines the element. It writes no markup and no `style` attribute, so that strict policies (CSP, Trusted Types) allow it.
 *
 * @module
 */
/** A small picture: RGBA with eight bits each, row by row. */
export interface SmallPicture {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8ClampedArray<ArrayBuffer>;
}
/**
 * Draws a ThumbHash: a picture of at most 32 pixels a side, by a few waves of brightness, two colors and alpha.
 *
 * The form is that of evanw/thumbhash, as the service writes it for `describe: ["thumbhash"]`. Pure.
 *
 * @throws RangeError when the text is no ThumbHash.
 */
export declare function thumbHashPicture(base64: string): SmallPicture;
/** Where an element is. A style sheet sees it as `:state(loaded)`. */
export type TintypeImageState = "empty" | "loading" | "loaded" | "fallback" | "failed";
/** Importing the file where there are no elements, such as on a server, does nothing. */
declare const Base: {
  new (): HTMLElement;
  prototype: HTMLElement;
};
/**
 * The element `<tintype-image>`.
 *
 * The attributes `src`, `srcset`, `sizes`, `alt`, `width`, `height`, `loading`, `decoding`, `fetchpriority`, `crossorigin` and `referrerpolicy` are those
 * of `img`; `loading` is `lazy` unless it is `eager`. `thumbhash` is a placeholder in base64, and `fallback` the URL of a picture in place of one that
 * cannot be loaded. A new `src` takes the place of the one before, which is given up.
 *
 * The events `load` and `error` are those of `img`. The property `--tintype-fade` of style sheets is the time of fading.
 */
export declare class TintypeImage extends Base {
  #private;
  static readonly observedAttributes: readonly string[];
  constructor();
  /** Where it is. */
  get state(): TintypeImageState;
  /** The URL that the browser has chosen. */
  get currentSrc(): string;
  get src(): string;
  set src(url: string);
  get srcset(): string;
  set srcset(urls: string);
  get thumbhash(): string;
  set thumbhash(base64: string);
  get fallback(): string;
  set fallback(url: string);
  get alt(): string;
  set alt(text: string);
  /** Asks for the picture again, such as after a failure. */
  reload(): void;
  connectedCallback(): void;
  attributeChangedCallback(name: string, before: string | null, now: string | null): void;
}
export {};
