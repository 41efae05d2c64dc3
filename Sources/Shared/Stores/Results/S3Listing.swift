import TintypeCore

/// One page of the answer to ListObjectsV2. Pure.
struct S3Listing: Sendable, Hashable {
    struct Object: Sendable, Hashable {
        let key: String
        let size: Int
        /// The time as the store writes it: `2026-11-21T17:28:17.000Z`.
        let modified: String
    }

    private(set) var objects: [Object] = []
    /// The start of the next page; nil on the last one.
    let next: String?

    /// nil for text that is no listing. Our keys contain nothing that XML escapes; other keys are ignored.
    init?(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.contains("<ListBucketResult") else { return nil }
        for part in text.split(separator: "<Contents>").dropFirst() {
            guard let key = Self.element("Key", in: part), let size = Self.element("Size", in: part).flatMap({ WireNumber.digits($0) }) else { continue }
            objects.append(Object(key: key, size: Int(size), modified: Self.element("LastModified", in: part) ?? ""))
        }
        let isCut = Self.element("IsTruncated", in: text[...]) == "true"
        next = isCut ? Self.element("NextContinuationToken", in: text[...]) : nil
    }

    private static func element(_ name: String, in text: Substring) -> String? {
        guard let start = text.firstRange(of: "<\(name)>"), let end = text[start.upperBound...].firstRange(of: "</\(name)>") else { return nil }
        return String(text[start.upperBound..<end.lowerBound])
    }
}
