/// The limits of a source's size: the defaults of workers, and the values that settings allow (`--max-pixels`, `--max-side`,
/// `--max-frames`). A larger source fails with `limitExceeded`, which names the limit.
package struct PictureBounds: Sendable, Hashable {
    package let usual: Int
    package let allowed: ClosedRange<Int>

    /// Width × height, summed over the wanted frames.
    package static let pixels = PictureBounds(usual: 50_000_000, allowed: 1_000_000...500_000_000)
    /// The longer side.
    package static let side = PictureBounds(usual: 16384, allowed: 256...65535)
    /// The wanted frames of an animation.
    package static let frames = PictureBounds(usual: 256, allowed: 1...65535)
}
