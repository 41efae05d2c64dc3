/// The target of a request, cut into the signature and the bytes that are signed. A pure value.
///
/// The signature is checked before anything else is read: so this type knows nothing of options.
package struct PictureTarget: Sendable, Hashable {
    /// The first part of the path.
    package let signature: String
    /// The bytes that are signed: the rest of the path, from its slash on, exactly as they came. A query is no part of them.
    package let signed: [UInt8]
    /// The byte of the target at which `signed` begins.
    package let offset: Int

    /// The most bytes of a target. The longest source, 16 KiB, takes 22 KiB in Base64.
    package static let mostBytes = 32 << 10

    /// - Parameter target: the raw target of the request line, in origin form.
    package init(_ target: [UInt8]) throws(DoorRefusal) {
        guard target.count <= Self.mostBytes else {
            throw DoorRefusal(.tooLong, at: Self.mostBytes, "the URL has \(target.count) bytes; at most \(Self.mostBytes) are read")
        }
        let path = target.prefix { $0 != UInt8(ascii: "?") }
        if let bad = path.firstIndex(where: { !(0x21...0x7e).contains($0) || $0 == UInt8(ascii: "#") }) {
            throw DoorRefusal(.badByte, at: bad, "the byte \(path[bad]) cannot stand in a URL; percent-encode the source, or write it in Base64")
        }
        guard path.first == UInt8(ascii: "/") else {
            throw DoorRefusal(.missingPart, at: 0, "the path must begin with a slash: /SIGNATURE/OPTIONS/plain/SOURCE")
        }
        let first = path.dropFirst().prefix { $0 != UInt8(ascii: "/") }
        guard !first.isEmpty else {
            throw DoorRefusal(.missingPart, at: 1, "the signature is missing; a URL without one begins with /unsafe/")
        }
        guard first.endIndex < path.endIndex else {
            throw DoorRefusal(.missingPart, at: path.endIndex, "there is no source behind the signature: add /plain/SOURCE")
        }
        signature = String(decoding: first, as: UTF8.self)
        signed = Array(path[first.endIndex...])
        offset = first.endIndex
    }
}
