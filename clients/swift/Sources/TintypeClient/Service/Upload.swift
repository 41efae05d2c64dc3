#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Bytes that the service keeps as a source for a while.
public struct Upload: Sendable, JSONDecodable {
    /// Stands wherever a request names a URL, until `expiresAt`. It is the right to use the bytes, so a secret.
    public let url: String
    /// The length.
    public let bytes: Int
    /// The hash in hexadecimal.
    public let sha256: String
    /// The media type, by the first bytes.
    public let contentType: String?
    public let expiresAt: Date

    public init(json: JSON) throws(AnswerFault) {
        var members = try MemberReader(json)
        url = try members.require("url")
        bytes = try members.require("bytes")
        sha256 = try members.require("sha256")
        contentType = try members.read("contentType")
        expiresAt = Date(timeIntervalSince1970: try members.require("expiresAt"))
    }
}

extension Upload: ImageSource {
    public var sourceURLs: [String] { [url] }
}

extension Upload: CustomStringConvertible, CustomReflectable {
    public var description: String { "Upload(\(bytes) bytes)" }
    public var customMirror: Mirror { Mirror(self, children: ["bytes": bytes]) }
}
