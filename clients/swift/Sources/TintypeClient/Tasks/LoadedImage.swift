#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A loaded image: its renditions, and what is known of its source. The members of the first rendition are its own as well.
public struct LoadedImage: Sendable {
    /// Everything that the service says of it.
    public let result: ImageResult
    private let client: Tintype

    init(_ result: ImageResult, client: Tintype) {
        (self.result, self.client) = (result, client)
    }

    /// All outputs, in the order of the request.
    public var renditions: [LoadedRendition] { result.renditions.map { LoadedRendition($0, client: client) } }

    /// The rendition of a name, if there is one.
    public subscript(name: String) -> LoadedRendition? {
        result.renditions.first { $0.name == name }.map { LoadedRendition($0, client: client) }
    }

    /// The first rendition. A document, or a result without renditions, has none.
    public var first: LoadedRendition? { result.renditions.first.map { LoadedRendition($0, client: client) } }

    /// The width in pixels; 0 when it is unknown.
    public var width: Int { result.renditions.first?.width ?? 0 }
    /// The height in pixels; 0 when it is unknown.
    public var height: Int { result.renditions.first?.height ?? 0 }
    public var format: ImageFormat? { result.renditions.first?.format }
    /// The media type.
    public var contentType: String { result.renditions.first?.contentType ?? LoadedRendition.unknownType }
    /// The name in the caches.
    public var key: String? { result.renditions.first?.key }
    /// The URL of the bytes, if the client knows an HTTP port.
    public var url: URL? { first?.url }
    public var source: SourceInfo { result.source }
    /// Where the result came from.
    public var from: ImageResult.Origin { result.from }
    public var receipt: String? { result.receipt }
    /// The answers to `describe` and `samples`.
    public var traits: ImageTraits { result.traits ?? ImageTraits() }
    /// The document of a request for JSON.
    public var document: JSON? { result.document }
    /// The text of a request for text or XML.
    public var text: String? { result.text }
    /// Why a fallback is there.
    public var failure: TintypeError? { result.error }

    /// Reads the bytes of the first rendition.
    ///
    /// - Throws: `cacheMiss` when no cache keeps them any more.
    public func bytes() async throws(TintypeError) -> Data {
        guard let first else { throw .local(.cacheMiss, "the result has no rendition") }
        return try await first.bytes()
    }

    /// Writes the bytes of the first rendition to a file, whole or not at all.
    ///
    /// - Throws: `storeFailed` when the file cannot be written.
    public func save(to file: URL) async throws(TintypeError) {
        guard let first else { throw .local(.cacheMiss, "the result has no rendition") }
        try await first.save(to: file)
    }
}

extension LoadedImage: CustomStringConvertible {
    public var description: String {
        let size = result.renditions.first.map { ", \($0.bytes) bytes" } ?? ""
        return "LoadedImage(\(format?.rawValue ?? "no format") \(width)x\(height)\(size), from \(from.rawValue))"
    }
}

/// One output of a request: what is known of it, and its bytes.
public struct LoadedRendition: Sendable {
    static let unknownType = "application/octet-stream"

    /// Everything that the service says of it.
    public let info: RenditionInfo
    private let client: Tintype

    init(_ info: RenditionInfo, client: Tintype) {
        (self.info, self.client) = (info, client)
    }

    public var name: String { info.name ?? "default" }
    /// The name in the caches.
    public var key: String { info.key }
    public var format: ImageFormat? { info.format }
    public var contentType: String { info.contentType }
    /// The width in pixels; 0 when it is unknown.
    public var width: Int { info.width ?? 0 }
    /// The height in pixels; 0 when it is unknown.
    public var height: Int { info.height ?? 0 }
    /// The number of bytes.
    public var size: Int { info.bytes }
    /// The URL of the bytes, if the client knows an HTTP port.
    public var url: URL? { client.url(of: info) }

    /// Reads the bytes. They are not kept: each call reads them again, except with `deliver: .inline`.
    ///
    /// - Throws: `cacheMiss` when no cache keeps them any more.
    public func bytes() async throws(TintypeError) -> Data {
        if let data = info.data { return Data(data) }
        return Data(try await client.bytes(of: info))
    }

    /// Writes the bytes to a file, whole or not at all.
    ///
    /// - Throws: `storeFailed` when the file cannot be written.
    public func save(to file: URL) async throws(TintypeError) {
        let data = try await bytes()
        do { try data.write(to: file, options: .atomic) } catch { throw .local(.storeFailed, "\(file.path) cannot be written: \(error)") }
    }
}
