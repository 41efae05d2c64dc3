package import TintypeImages

/// A finished result, still in libvips' memory.
package struct EncodedPicture {
    package let bytes: VipsBytes
    package let format: ImageFormat
    package let size: PictureSize
    package let frames: Int
    /// The quality given to a lossy encoder.
    package let quality: Int?
}
