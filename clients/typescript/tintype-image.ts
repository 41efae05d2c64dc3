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
import { thumbHashPicture } from "./src/thumbhash.ts";

export { type SmallPicture, thumbHashPicture } from "./src/thumbhash.ts";

/** Where an element is. A style sheet sees it as `:state(loaded)`. */
export type TintypeImageState = "empty" | "loading" | "loaded" | "fallback" | "failed";

/** A picture door answers an element `img` with a grey picture of this size when it has no other one. */
const failure = { width: 61, height: 67 };

/** What the inner `img` gets as it is. */
const passed = ["alt", "crossorigin", "decoding", "fetchpriority", "referrerpolicy", "sizes"] as const;
/** What begins anew. */
const loads = ["src", "srcset", "fallback"] as const;
const shapes = ["width", "height", "thumbhash"] as const;

const css = `
  :host { display: inline-block; position: relative; max-width: 100%; vertical-align: bottom; }
  :host([hidden]) { display: none; }
  canvas, img { display: block; object-fit: inherit; object-position: inherit; border-radius: inherit; }
  canvas { position: absolute; inset: 0; width: 100%; height: 100%; }
  canvas[hidden] { display: none; }
  img { position: relative; max-width: 100%; opacity: 0; }
  img.shaped { position: absolute; inset: 0; width: 100%; height: 100%; }
  img.shown { opacity: 1; }
  img.fades { transition: opacity var(--tintype-fade, 300ms) ease-in; }
  @media (prefers-reduced-motion: reduce) { img.fades { transition: none; } }
`;

/** Importing the file where there are no elements, such as on a server, does nothing. */
const Base = globalThis.HTMLElement ?? class {} as typeof HTMLElement;

/**
 * The element `<tintype-image>`.
 *
 * The attributes `src`, `srcset`, `sizes`, `alt`, `width`, `height`, `loading`, `decoding`, `fetchpriority`, `crossorigin` and `referrerpolicy` are those
 * of `img`; `loading` is `lazy` unless it is `eager`. `thumbhash` is a placeholder in base64, and `fallback` the URL of a picture in place of one that
 * cannot be loaded. A new `src` takes the place of the one before, which is given up.
 *
 * The events `load` and `error` are those of `img`. The property `--tintype-fade` of style sheets is the time of fading.
 */
export class TintypeImage extends Base {
  static readonly observedAttributes: readonly string[] = [...passed, ...loads, ...shapes, "loading"];

  #image: HTMLImageElement;
  #canvas: HTMLCanvasElement;
  #shape: CSSStyleSheet;
  #internals: ElementInternals;
  #state: TintypeImageState = "empty";
  #hasPlaceholder = false;
  #isDue = false;
  /** Counts the pictures that were asked for: the events of an older one mean nothing. */
  #turn = 0;

  constructor() {
    super();
    this.#internals = this.attachInternals();
    const root = this.attachShadow({ mode: "open" });
    this.#shape = new CSSStyleSheet();
    root.adoptedStyleSheets = [sheet(), this.#shape];
    this.#canvas = document.createElement("canvas");
    this.#canvas.setAttribute("part", "placeholder");
    this.#canvas.setAttribute("aria-hidden", "true");
    this.#image = document.createElement("img");
    this.#image.setAttribute("part", "image");
    this.#image.loading = "lazy";
    root.append(this.#canvas, this.#image);
  }

  /** Where it is. */
  get state(): TintypeImageState {
    return this.#state;
  }

  /** The URL that the browser has chosen. */
  get currentSrc(): string {
    return this.#image.currentSrc;
  }

  get src(): string {
    return this.getAttribute("src") ?? "";
  }
  set src(url: string) {
    this.setAttribute("src", url);
  }

  get srcset(): string {
    return this.getAttribute("srcset") ?? "";
  }
  set srcset(urls: string) {
    this.setAttribute("srcset", urls);
  }

  get thumbhash(): string {
    return this.getAttribute("thumbhash") ?? "";
  }
  set thumbhash(base64: string) {
    this.setAttribute("thumbhash", base64);
  }

  get fallback(): string {
    return this.getAttribute("fallback") ?? "";
  }
  set fallback(url: string) {
    this.setAttribute("fallback", url);
  }

  get alt(): string {
    return this.getAttribute("alt") ?? "";
  }
  set alt(text: string) {
    this.setAttribute("alt", text);
  }

  /** Asks for the picture again, such as after a failure. */
  reload(): void {
    this.#load();
  }

  connectedCallback(): void {
    this.#draw();
    if (this.#state === "empty") this.#later();
  }

  attributeChangedCallback(name: string, before: string | null, now: string | null): void {
    if (before === now) return;
    if ((shapes as readonly string[]).includes(name)) return this.#draw();
    if ((loads as readonly string[]).includes(name)) return this.#later();
    if (name === "loading") this.#image.loading = now === "eager" ? "eager" : "lazy";
    else if (now === null) this.#image.removeAttribute(name);
    else this.#image.setAttribute(name, now);
  }

  /** Several attributes that change together are one change. */
  #later(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    queueMicrotask(() => {
      this.#isDue = false;
      if (this.isConnected) this.#load();
    });
  }

  #load(): void {
    const [src, srcset] = [this.getAttribute("src"), this.getAttribute("srcset")];
    if (!src && !srcset) return this.#clear();
    this.#become("loading");
    this.#ask(src, srcset, "loaded");
  }

  /** Lets the inner element load, and looks at what comes. */
  #ask(src: string | null, srcset: string | null, state: "loaded" | "fallback"): void {
    const turn = ++this.#turn;
    const image = this.#image;
    image.classList.remove("shown", "fades");
    this.#canvas.hidden = !this.#hasPlaceholder;
    image.onload = async () => {
      const isFailure = await this.#isFailure();
      if (turn !== this.#turn) return;
      if (isFailure) return this.#fail(state);
      // A picture that is there at once needs no fading.
      image.classList.toggle("fades", performance.now() - begun > 50);
      const isFading = parseFloat(getComputedStyle(image).transitionDuration) > 0;
      image.classList.add("shown");
      // It would be seen through a transparent picture.
      if (isFading) image.ontransitionend = () => this.#canvas.hidden = image.classList.contains("shown");
      else this.#canvas.hidden = true;
      this.#become(state);
      this.dispatchEvent(new Event("load"));
    };
    image.onerror = () => {
      if (turn === this.#turn) this.#fail(state);
    };
    const begun = performance.now();
    // The old picture is given up before the new one is asked for.
    image.removeAttribute("src");
    if (srcset) image.srcset = srcset;
    else image.removeAttribute("srcset");
    if (src) image.src = src;
  }

  #fail(state: "loaded" | "fallback"): void {
    const fallback = this.getAttribute("fallback");
    if (state === "loaded" && fallback) return this.#ask(fallback, null, "fallback");
    this.#become("failed");
    this.dispatchEvent(new Event("error"));
  }

  #clear(): void {
    this.#turn++;
    this.#image.removeAttribute("src");
    this.#image.removeAttribute("srcset");
    this.#image.classList.remove("shown", "fades");
    this.#become("empty");
  }

  /** Whether the picture is the grey one of a picture door: for an element `img` that has come well. */
  async #isFailure(): Promise<boolean> {
    const { naturalWidth: width, naturalHeight: height, currentSrc } = this.#image;
    // The natural size is divided by the density of the candidate, so that only the shape is certain.
    if (Math.abs(width * failure.height - height * failure.width) > failure.height) return false;
    const whole = new Image();
    if (this.#image.crossOrigin !== null) whole.crossOrigin = this.#image.crossOrigin;
    whole.src = currentSrc;
    await whole.decode().catch(() => {});
    return whole.naturalWidth === failure.width && whole.naturalHeight === failure.height;
  }

  /** Gives the element its shape, and draws the placeholder. */
  #draw(): void {
    const [width, height] = [Number(this.getAttribute("width")), Number(this.getAttribute("height"))];
    const hash = this.getAttribute("thumbhash");
    let ratio = width > 0 && height > 0 ? width / height : 0;
    try {
      const picture = hash ? thumbHashPicture(hash) : undefined;
      this.#hasPlaceholder = picture !== undefined;
      if (picture) {
        [this.#canvas.width, this.#canvas.height] = [picture.width, picture.height];
        this.#canvas.getContext("2d")?.putImageData(new ImageData(picture.data, picture.width, picture.height), 0, 0);
        ratio ||= picture.width / picture.height;
      }
    } catch {
      // A wrong placeholder costs no picture.
      this.#hasPlaceholder = false;
    }
    this.#canvas.hidden = !this.#hasPlaceholder || this.#image.classList.contains("shown");
    const size = width > 0 ? `width: ${width}px;` : height > 0 && ratio ? `width: ${height * ratio}px;` : ratio ? "width: 100%;" : "";
    this.#shape.replaceSync(ratio ? `:host { ${size} aspect-ratio: ${ratio}; }` : "canvas { display: none; }");
    this.#image.classList.toggle("shaped", ratio > 0);
  }

  #become(state: TintypeImageState): void {
    const { states } = this.#internals;
    states?.delete(this.#state);
    this.#state = state;
    states?.add(state);
  }
}

let shared: CSSStyleSheet | undefined;

function sheet(): CSSStyleSheet {
  if (!shared) {
    shared = new CSSStyleSheet();
    shared.replaceSync(css);
  }
  return shared;
}

if (globalThis.customElements && !customElements.get("tintype-image")) customElements.define("tintype-image", TintypeImage);
