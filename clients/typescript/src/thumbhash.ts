/** A small picture: RGBA with eight bits each, row by row. */
export interface SmallPicture {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8ClampedArray<ArrayBuffer>;
}

/** The amplitudes of one channel, for each pair of waves across and down. */
interface Channel {
  readonly mean: number;
  readonly waves: readonly { readonly x: number; readonly y: number; readonly amplitude: number }[];
}

/**
 * Draws a ThumbHash: a picture of at most 32 pixels a side, by a few waves of brightness, two colors and alpha.
 *
 * The form is that of evanw/thumbhash, as the service writes it for `describe: ["thumbhash"]`. Pure.
 *
 * @throws RangeError when the text is no ThumbHash.
 */
export function thumbHashPicture(base64: string): SmallPicture {
  const hash = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const byte = (place: number) => {
    const value = hash[place];
    if (value === undefined) throw new RangeError(`a ThumbHash of ${hash.length} bytes is too short`);
    return value;
  };
  const first = byte(0) | byte(1) << 8 | byte(2) << 16;
  const second = byte(3) | byte(4) << 8;
  const hasAlpha = first >> 23 === 1;
  const isWide = second >> 15 === 1;
  const [long, short] = [hasAlpha ? 5 : 7, second & 7];
  const [across, down] = isWide ? [long, short] : [short, long];
  const ratio = across / down;
  if (!(ratio > 0 && Number.isFinite(ratio))) throw new RangeError("the sides of the ThumbHash make no picture");

  let nibble = 2 * (hasAlpha ? 6 : 5);
  const channel = (mean: number, nx: number, ny: number, scale: number): Channel => {
    const waves = [];
    for (let y = 0; y < ny; y++) {
      for (let x = y ? 0 : 1; x * ny < nx * (ny - y); x++) {
        const value = byte(nibble >> 1) >> 4 * (nibble & 1) & 15;
        nibble++;
        waves.push({ x, y, amplitude: (value / 7.5 - 1) * scale });
      }
    }
    return { mean, waves };
  };
  const light = channel((first & 63) / 63, Math.max(3, across), Math.max(3, down), (first >> 18 & 31) / 31);
  // Colors are a little stronger than they were written, because the few steps have made them pale.
  const yellow = channel((first >> 6 & 63) / 31.5 - 1, 3, 3, (second >> 3 & 63) / 63 * 1.25);
  const red = channel((first >> 12 & 63) / 31.5 - 1, 3, 3, (second >> 9 & 63) / 63 * 1.25);
  const alpha = hasAlpha ? channel((byte(5) & 15) / 15, 5, 5, (byte(5) >> 4) / 15) : { mean: 1, waves: [] };

  const width = Math.round(ratio > 1 ? 32 : 32 * ratio);
  const height = Math.round(ratio > 1 ? 32 / ratio : 32);
  const data = new Uint8ClampedArray(width * height * 4);
  for (let y = 0, place = 0; y < height; y++) {
    for (let x = 0; x < width; x++, place += 4) {
      const at = ({ mean, waves }: Channel) =>
        waves.reduce(
          (sum, wave) => sum + wave.amplitude * Math.cos(Math.PI / width * (x + 0.5) * wave.x) * Math.cos(Math.PI / height * (y + 0.5) * wave.y) * 2,
          mean,
        );
      const [l, p, q] = [at(light), at(yellow), at(red)];
      const b = l - 2 / 3 * p;
      const r = (3 * l - b + q) / 2;
      data.set([255 * r, 255 * (r - q), 255 * b, 255 * at(alpha)], place);
    }
  }
  return { width, height, data };
}

/** Returns the width of a ThumbHash divided by its height, about that of the picture. */
export function thumbHashRatio(base64: string): number {
  const { width, height } = thumbHashPicture(base64);
  return width / height;
}
