import TintypeTransport

/// The images that are being sent over HTTP. Each is in memory once for all its readers. Their total bytes are limited, because a slow reader keeps
/// its image in memory.
@Loop
final class OutgoingImages {
    private let room: BodyBudget
    /// The images by entity tag; nil if no longer being sent.
    private var images: [String: Reference] = [:]

    private struct Reference {
        weak var image: OutgoingImage?
    }

    /// - Parameter limit: The total bytes of images that are being sent.
    init(limit: Int = 256 << 20) { room = BodyBudget(limit) }

    /// Returns an object to keep while these bytes are being sent. A single image may be larger than the limit.
    /// - Returns: nil if the limit is reached.
    func hold(_ bytes: [UInt8], as tag: String) -> OutgoingImage? {
        if let held = images[tag]?.image { return held }
        let own = BodyReservation(room)
        guard own.grow(to: min(bytes.count, room.limit)) else { return nil }
        if images.count >= 256 { images = images.filter { $0.value.image != nil } }
        let held = OutgoingImage(bytes, own)
        images[tag] = Reference(image: held)
        return held
    }

    /// The total bytes of images that are being sent.
    var bytes: Int { room.used }
}

/// The bytes of one image, counted until its last reader has them.
@Loop
final class OutgoingImage {
    nonisolated let bytes: [UInt8]
    private let room: BodyReservation

    fileprivate init(_ bytes: [UInt8], _ room: BodyReservation) { (self.bytes, self.room) = (bytes, room) }
}
