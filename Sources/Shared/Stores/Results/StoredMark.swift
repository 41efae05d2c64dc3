package import TintypeImages

/// The beginning of the entry of an image. It contains the digest of all of the entry, and so tells the image from any other that is put under its key.
package struct StoredMark: Sendable, Hashable {
    package let key: String
    let bytes: [UInt8]

    /// Hashes the bytes of an image whose hash is not known.
    package init(_ image: StoredImage) {
        (key, bytes) = (image.key, Array(StoredImageCodec.front(image).prefix(StoredImageCodec.prefixLength)))
    }
}
