import TintypeCore

/// A source whose bytes a client has sent by `PUT /uploads`, as `upload:ID` names it. A pure value.
///
/// The id is the right to use the bytes. Its first half are 128 random bits. The rest binds them to their owner, so that a coordinator refuses another
/// client's id without asking a store. Other digits there make another id, under which no store has anything.
package struct UploadedSource: Sendable, Hashable {
    /// 48 lower-case hexadecimal digits. Never logged.
    package let id: String

    static let form = "an upload's is upload:ID, as PUT /uploads answers it"
    private static let randomDigits = 32
    private static let ownerDigits = 16

    /// Makes a new id.
    /// - Parameter owner: the owner of the upload (`AccessGrant.owner`); nil: an admin.
    package init(of owner: String?) {
        let random = Digest.randomHex(bytes: Self.randomDigits / 2)
        id = random + Self.binding(random, to: owner)
    }

    /// - Returns: nil for text that is no id.
    package init?(id: some StringProtocol) {
        let isID = id.utf8.count == Self.randomDigits + Self.ownerDigits && id.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
        guard isID else { return nil }
        self.id = String(id)
    }

    /// - Returns: nil for a URL of another scheme or form.
    package init?(url: String) {
        guard url.utf8.prefix(7).elementsEqual("upload:".utf8, by: { $0 | 0x20 == $1 | 0x20 }) else { return nil }
        self.init(id: Substring(url.utf8.dropFirst(7)))
    }

    /// The one spelling, which keys are made of. Never logged.
    package var url: String { "upload:\(id)" }

    /// The key in the store of sources. The colon keeps clients from naming it, and the hash keeps lists of keys from showing the id.
    package var key: String { "upload:" + Digest.sha256Hex(id.utf8, digits: 40) }

    /// Whether a client may use or remove the upload.
    /// - Parameter owner: the client (`AccessGrant.owner`); nil: an admin, who may use all.
    package func belongs(to owner: String?) -> Bool {
        guard let owner else { return true }
        return id.dropFirst(Self.randomDigits) == Self.binding(String(id.prefix(Self.randomDigits)), to: owner)
    }

    private static func binding(_ random: String, to owner: String?) -> String { Digest.sha256Hex("upload \(random) \(owner ?? "")".utf8, digits: ownerDigits) }
}
