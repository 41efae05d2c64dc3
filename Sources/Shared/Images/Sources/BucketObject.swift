import TintypeCore

/// An object of a bucket, as `s3://bucket/key` names it. Where the bucket is, and what opens it, workers know. A pure value.
package struct BucketObject: Sendable, Hashable {
    package let bucket: String
    /// Without escapes.
    package let key: String

    static let form = "an object's is s3://bucket/key, without a query, and without parts of the key that are . or .."
    /// As S3 has it.
    private static let maxKey = 1024

    /// - Returns: nil for what names no object, or something besides.
    init?(_ url: String) {
        let text = url.utf8.drop { $0 != UInt8(ascii: ":") }.dropFirst()
        guard text.starts(with: "//".utf8), !text.contains(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }) else { return nil }
        let (bucket, rest) = (text.dropFirst(2).prefix { $0 != UInt8(ascii: "/") }, text.dropFirst(2).drop { $0 != UInt8(ascii: "/") }.dropFirst())
        guard Self.isBucket(bucket), let key = PercentText.bytes(of: rest).flatMap({ String(validating: $0, as: UTF8.self) }),
            (1...Self.maxKey).contains(key.utf8.count), key.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }),
            key.split(separator: "/", omittingEmptySubsequences: false).allSatisfy({ $0 != "." && $0 != ".." })
        else { return nil }
        (self.bucket, self.key) = (String(Substring(bucket)), key)
    }

    /// As a host is spelt, so that rules can name it: letters are small.
    private static func isBucket(_ name: some Collection<UInt8>) -> Bool {
        (3...63).contains(name.count)
            && name.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x7a).contains($0) || [0x2d, 0x2e, 0x5f].contains($0) }
            && name.first != UInt8(ascii: ".")
    }

    /// The key as it stands in a path, and is signed: with an escape for all but what never needs one.
    package var path: String { PercentText.encoded(key).replacing("%2F", with: "/") }
    /// The one spelling that keys are made of.
    var normalized: String { "s3://\(bucket)/\(path)" }

    /// Why a request cannot be signed by the operator's credentials: what is asked for is an object, and nothing is done to it.
    /// - Throws: `invalidParams`.
    static func check(_ fetch: FetchOptions) throws(TintypeError) {
        if fetch.method != "GET" || fetch.body != nil {
            throw .invalidParams(path: "fetch.method", shown: .string(fetch.method), expected: "GET without a body: objects are only read")
        }
        if fetch.cookies != nil { throw .invalidParams(path: "fetch.cookies", value: .string(fetch.cookies ?? ""), expected: "none beside s3: URLs") }
        if fetch.credentials != nil {
            throw .invalidParams(path: "fetch.auth", shown: "(hidden)", expected: "none beside s3: URLs, which the operator's credentials open")
        }
        if let header = fetch.headers.first(where: { $0.name.lowercased().hasPrefix("x-amz-") || $0.name.lowercased() == "authorization" }) {
            throw .invalidParams(path: "fetch.headers.\(header.name)", shown: "(hidden)", expected: "none that a signature or S3 would be told by")
        }
    }
}
