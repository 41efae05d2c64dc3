import TintypeTransport

/// The images that are being sent over HTTP, by their entity tags. Each is in memory once for all its readers.
@Loop
final class OutgoingImages {
    private var images: [String: Reference] = [:]

    private struct Reference {
        weak var image: SharedBody?
    }

    /// Returns the bytes of an image for one more answer.
    func share(_ bytes: [UInt8], as tag: String) -> SharedBody {
        if let shared = images[tag]?.image { return shared }
        if images.count >= 256 { images = images.filter { $0.value.image != nil } }
        let image = SharedBody(bytes)
        images[tag] = Reference(image: image)
        return image
    }
}
