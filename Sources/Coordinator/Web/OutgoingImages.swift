import TintypeTransport

/// The bytes of images that are being sent over HTTP, each in memory once however many read it, and no more of them than there is room for:
/// who reads slowly holds what it reads.
@Loop
final class OutgoingImages {
    private let room: BodyBudget
    /// By entity tag; what is no longer sent is nil.
    private var images: [String: Reference] = [:]

    private struct Reference {
        weak var image: OutgoingImage?
    }

    /// - Parameter limit: bytes of all that are sent at one time.
    init(limit: Int = 256 << 20) { room = BodyBudget(limit) }

    /// What is to be held while these bytes are sent. One image alone may be larger than the limit.
    /// - Returns: nil if there is no room.
    func hold(_ bytes: [UInt8], as tag: String) -> OutgoingImage? {
        if let held = images[tag]?.image { return held }
        let own = BodyRoom(room)
        guard own.grow(to: min(bytes.count, room.limit)) else { return nil }
        if images.count >= 256 { images = images.filter { $0.value.image != nil } }
        let held = OutgoingImage(bytes, own)
        images[tag] = Reference(image: held)
        return held
    }

    /// The bytes of all that are being sent.
    var bytes: Int { room.used }
}

/// The bytes of one image that are being sent, until nobody reads them any more.
@Loop
final class OutgoingImage {
    nonisolated let bytes: [UInt8]
    private let room: BodyRoom

    fileprivate init(_ bytes: [UInt8], _ room: BodyRoom) { (self.bytes, self.room) = (bytes, room) }
}
