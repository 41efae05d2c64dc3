// @ts-self-types="./tintype-image.d.ts"
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
/**
 * Draws a ThumbHash: a picture of at most 32 pixels a side, by a few waves of brightness, two colors and alpha.
 *
 * The form is that of evanw/thumbhash, as the service writes it for `describe: ["thumbhash"]`. Pure.
 *
 * @throws RangeError when the text is no ThumbHash.
 */ export function thumbHashPicture(base64) {
  const hash = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const byte = (place) => {
    const value = hash[place];
    if (value === undefined) throw new RangeError(`a ThumbHash of ${hash.length} bytes is too short`);
    return value;
  };
  const first = byte(0) | byte(1) << 8 | byte(2) << 16;
  const second = byte(3) | byte(4) << 8;
  const hasAlpha = first >> 23 === 1;
  const isWide = second >> 15 === 1;
  const [long, short] = [
    hasAlpha ? 5 : 7,
    second & 7,
  ];
  const [across, down] = isWide
    ? [
      long,
      short,
    ]
    : [
      short,
      long,
    ];
  const ratio = across / down;
  if (!(ratio > 0 && Number.isFinite(ratio))) throw new RangeError("the sides of the ThumbHash make no picture");
  let nibble = 2 * (hasAlpha ? 6 : 5);
  const channel = (mean, nx, ny, scale) => {
    const waves = [];
    for (let y = 0; y < ny; y++) {
      for (let x = y ? 0 : 1; x * ny < nx * (ny - y); x++) {
        const value = byte(nibble >> 1) >> 4 * (nibble & 1) & 15;
        nibble++;
        waves.push({
          x,
          y,
          amplitude: (value / 7.5 - 1) * scale,
        });
      }
    }
    return {
      mean,
      waves,
    };
  };
  const light = channel((first & 63) / 63, Math.max(3, across), Math.max(3, down), (first >> 18 & 31) / 31);
  // Colors are a little stronger than they were written, because the few steps have made them pale.
  const yellow = channel((first >> 6 & 63) / 31.5 - 1, 3, 3, (second >> 3 & 63) / 63 * 1.25);
  const red = channel((first >> 12 & 63) / 31.5 - 1, 3, 3, (second >> 9 & 63) / 63 * 1.25);
  const alpha = hasAlpha ? channel((byte(5) & 15) / 15, 5, 5, (byte(5) >> 4) / 15) : {
    mean: 1,
    waves: [],
  };
  const width = Math.round(ratio > 1 ? 32 : 32 * ratio);
  const height = Math.round(ratio > 1 ? 32 / ratio : 32);
  const data = new Uint8ClampedArray(width * height * 4);
  for (let y = 0, place = 0; y < height; y++) {
    for (let x = 0; x < width; x++, place += 4) {
      const at = ({ mean, waves }) =>
        waves.reduce(
          (sum, wave) => sum + wave.amplitude * Math.cos(Math.PI / width * (x + 0.5) * wave.x) * Math.cos(Math.PI / height * (y + 0.5) * wave.y) * 2,
          mean,
        );
      const [l, p, q] = [
        at(light),
        at(yellow),
        at(red),
      ];
      const b = l - 2 / 3 * p;
      const r = (3 * l - b + q) / 2;
      data.set([
        255 * r,
        255 * (r - q),
        255 * b,
        255 * at(alpha),
      ], place);
    }
  }
  return {
    width,
    height,
    data,
  };
}
/** Returns the width of a ThumbHash divided by its height, about that of the picture. */ function thumbHashRatio(base64) {
  const { width, height } = thumbHashPicture(base64);
  return width / height;
}
/** A picture door answers an element `img` with a grey picture of this size when it has no other one. */ const failure = {
  width: 61,
  height: 67,
};
/** What the inner `img` gets as it is. */ const passed = [
  "alt",
  "crossorigin",
  "decoding",
  "fetchpriority",
  "referrerpolicy",
  "sizes",
];
/** What begins anew. */ const loads = [
  "src",
  "srcset",
  "fallback",
];
const shapes = [
  "width",
  "height",
  "thumbhash",
];
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
/** Importing the file where there are no elements, such as on a server, does nothing. */ const Base = globalThis.HTMLElement ?? class {
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
export class TintypeImage extends Base {
  static observedAttributes = [
    ...passed,
    ...loads,
    ...shapes,
    "loading",
  ];
  #image;
  #canvas;
  #shape;
  #internals;
  #state = "empty";
  #hasPlaceholder = false;
  #isDue = false;
  /** Counts the pictures that were asked for: the events of an older one mean nothing. */ #turn = 0;
  constructor() {
    super();
    this.#internals = this.attachInternals();
    const root = this.attachShadow({
      mode: "open",
    });
    this.#shape = new CSSStyleSheet();
    root.adoptedStyleSheets = [
      sheet(),
      this.#shape,
    ];
    this.#canvas = document.createElement("canvas");
    this.#canvas.setAttribute("part", "placeholder");
    this.#canvas.setAttribute("aria-hidden", "true");
    this.#image = document.createElement("img");
    this.#image.setAttribute("part", "image");
    this.#image.loading = "lazy";
    root.append(this.#canvas, this.#image);
  }
  /** Where it is. */ get state() {
    return this.#state;
  }
  /** The URL that the browser has chosen. */ get currentSrc() {
    return this.#image.currentSrc;
  }
  get src() {
    return this.getAttribute("src") ?? "";
  }
  set src(url) {
    this.setAttribute("src", url);
  }
  get srcset() {
    return this.getAttribute("srcset") ?? "";
  }
  set srcset(urls) {
    this.setAttribute("srcset", urls);
  }
  get thumbhash() {
    return this.getAttribute("thumbhash") ?? "";
  }
  set thumbhash(base64) {
    this.setAttribute("thumbhash", base64);
  }
  get fallback() {
    return this.getAttribute("fallback") ?? "";
  }
  set fallback(url) {
    this.setAttribute("fallback", url);
  }
  get alt() {
    return this.getAttribute("alt") ?? "";
  }
  set alt(text) {
    this.setAttribute("alt", text);
  }
  /** Asks for the picture again, such as after a failure. */ reload() {
    this.#load();
  }
  connectedCallback() {
    this.#draw();
    if (this.#state === "empty") this.#later();
  }
  attributeChangedCallback(name, before, now) {
    if (before === now) return;
    if (shapes.includes(name)) return this.#draw();
    if (loads.includes(name)) return this.#later();
    if (name === "loading") this.#image.loading = now === "eager" ? "eager" : "lazy";
    else if (now === null) this.#image.removeAttribute(name);
    else this.#image.setAttribute(name, now);
  }
  /** Several attributes that change together are one change. */ #later() {
    if (this.#isDue) return;
    this.#isDue = true;
    queueMicrotask(() => {
      this.#isDue = false;
      if (this.isConnected) this.#load();
    });
  }
  #load() {
    const [src, srcset] = [
      this.getAttribute("src"),
      this.getAttribute("srcset"),
    ];
    if (!src && !srcset) return this.#clear();
    this.#become("loading");
    this.#ask(src, srcset, "loaded");
  }
  /** Lets the inner element load, and looks at what comes. */ #ask(src, srcset, state) {
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
  #fail(state) {
    const fallback = this.getAttribute("fallback");
    if (state === "loaded" && fallback) return this.#ask(fallback, null, "fallback");
    this.#become("failed");
    this.dispatchEvent(new Event("error"));
  }
  #clear() {
    this.#turn++;
    this.#image.removeAttribute("src");
    this.#image.removeAttribute("srcset");
    this.#image.classList.remove("shown", "fades");
    this.#become("empty");
  }
  /** Whether the picture is the grey one of a picture door: for an element `img` that has come well. */ async #isFailure() {
    const { naturalWidth: width, naturalHeight: height, currentSrc } = this.#image;
    // The natural size is divided by the density of the candidate, so that only the shape is certain.
    if (Math.abs(width * failure.height - height * failure.width) > failure.height) return false;
    const whole = new Image();
    if (this.#image.crossOrigin !== null) whole.crossOrigin = this.#image.crossOrigin;
    whole.src = currentSrc;
    await whole.decode().catch(() => {});
    return whole.naturalWidth === failure.width && whole.naturalHeight === failure.height;
  }
  /** Gives the element its shape, and draws the placeholder. */ #draw() {
    const [width, height] = [
      Number(this.getAttribute("width")),
      Number(this.getAttribute("height")),
    ];
    const hash = this.getAttribute("thumbhash");
    let ratio = width > 0 && height > 0 ? width / height : 0;
    try {
      const picture = hash ? thumbHashPicture(hash) : undefined;
      this.#hasPlaceholder = picture !== undefined;
      if (picture) {
        [this.#canvas.width, this.#canvas.height] = [
          picture.width,
          picture.height,
        ];
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
  #become(state) {
    const { states } = this.#internals;
    states?.delete(this.#state);
    this.#state = state;
    states?.add(state);
  }
}
let shared;
function sheet() {
  if (!shared) {
    shared = new CSSStyleSheet();
    shared.replaceSync(css);
  }
  return shared;
}
if (globalThis.customElements && !customElements.get("tintype-image")) customElements.define("tintype-image", TintypeImage);
