package import TintypeCore

/// A client's texts that are kept with a result and returned with it. They are no part of its key. A pure value.
///
/// Values are only texts: scripts search a result's JSON for numbers, such as its version, and must not find them in the metadata.
package struct ResultMetadata: Sendable, Hashable {
    /// Name → text; at least one.
    package let object: JSONObject

    /// The most bytes as JSON: the metadata is in each answer, in the index and in HTTP headers.
    package static let mostBytes = 1024
    private static let maxMembers = 16

    package static let type = ParameterType.map(of: .string(maxLength: mostBytes), most: maxMembers)
    package static let parameter = ParameterDescription(
        "metadata", type,
        "Texts to keep with the results. They come back as `metadata` and as HTTP headers `Tintype-Meta-…`. Names of a–z 0–9 -, at most \(mostBytes) bytes "
            + "of JSON. An existing result keeps its own.")

    /// Reads validated JSON; nil if there is no metadata.
    /// - Throws: `invalidParams` for a name that is no name of a header, and for too many bytes.
    package init?(_ json: JSON?, at path: String) throws(TintypeError) {
        guard let object = json?.object, !object.isEmpty else { return nil }
        for name in object.keys where !Self.isName(name) {
            throw .invalidParams(path: ParameterType.join(path, name), value: .string(name), expected: "a name of 1 to 64 of a–z 0–9 -")
        }
        let bytes = JSON.object(object).text.utf8.count
        guard bytes <= Self.mostBytes else {
            throw .invalidParams(path: path, shown: JSON("\(bytes) bytes"), expected: "an object of at most \(Self.mostBytes) bytes of JSON")
        }
        self.object = object
    }

    /// Reads the metadata of a stored result; nil if there is none, or if the JSON is something else.
    package init?(kept json: JSON?) {
        guard let object = json?.object, !object.isEmpty, object.members.allSatisfy({ Self.isName($0.key) && $0.value.string != nil }) else { return nil }
        self.object = object
    }

    package var json: JSON { .object(object) }

    private static func isName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-") }
    }

    // MARK: HTTP

    /// The prefix of the header names.
    package static let prefix = "Tintype-Meta-"

    /// One header for each member. Percent signs and all but visible ASCII are percent-encoded, so that no text ends a line.
    package var headers: [(String, String)] {
        object.members.map { name, value in
            (Self.prefix + name, PercentText.escaping((value.string ?? "").utf8) { !(0x21...0x7e).contains($0) || $0 == UInt8(ascii: "%") })
        }
    }

    /// Returns the metadata from the headers of a request.
    /// - Parameter headers: the headers whose names begin with `prefix`, without the prefix.
    /// - Throws: `invalidParams`.
    package static func json(of headers: [(name: String, value: String)]) throws(TintypeError) -> JSON? {
        guard !headers.isEmpty else { return nil }
        var object = JSONObject()
        for (name, value) in headers {
            let header = prefix + name
            guard let bytes = PercentText.bytes(of: value.utf8), let text = String(validating: bytes, as: UTF8.self) else {
                throw .invalidParams(path: header, value: .string(value), expected: "UTF-8, percent-encoded where it is no ASCII")
            }
            let name = name.lowercased()
            guard object[name] == nil else { throw .invalidParams(path: header, value: .string(value), expected: "it once") }
            object[name] = .string(text)
        }
        return .object(object)
    }
}
