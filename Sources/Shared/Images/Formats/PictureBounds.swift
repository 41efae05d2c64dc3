/// How large a source may be: what workers take unless they are told otherwise, and what they may be told (`--max-pixels`, `--max-side`,
/// `--max-frames`). Exceeding one is the error `limitExceeded`, which names it.
package struct PictureBounds: Sendable, Hashable {
    package let usual: Int
    package let allowed: ClosedRange<Int>

    /// Width × height, summed over the frames that are wanted.
    package static let pixels = PictureBounds(usual: 50_000_000, allowed: 1_000_000...500_000_000)
    /// Of either side.
    package static let side = PictureBounds(usual: 16384, allowed: 256...65535)
    /// Of an animation: those that are wanted.
    package static let frames = PictureBounds(usual: 256, allowed: 1...65535)
}
