import ImageHeads
import TintypeCore
import TintypeTransport
import TintypeImages

/// Bodies of which no picture is made: as they came, or read as what they have to be.
extension RenditionMaker {
    /// - Parameters:
    ///   - document: what it was read and found to be.
    ///   - text: its bytes as they are read; nil: as they came.
    ///   - picture: the facts of a picture; nil for bytes of which only the format is looked for.
    func passThrough(
        _ digest: String, _ rendition: Rendition, as document: DocumentKind? = nil, _ text: [UInt8]? = nil, of picture: SourceInfo? = nil
    ) async throws(TintypeError) -> MadeRendition {
        var format = picture?.format
        if picture == nil, document == nil, case .image(let found)? = ImageSniff.of(source.bytes) { format = found }
        let bytes = text ?? source.bytes
        let known = text == nil ? source.info.sha256 : nil
        let sum = if let known { known } else { await hash(bytes) }
        if let text { reservation.addResult(text.count) }
        var info = RenditionInfo(
            key: digest, contentType: document?.contentType ?? format?.contentType ?? source.contentType ?? "application/octet-stream",
            bytes: bytes.count, sha256: sum, stored: [], isApplied: false)
        (info.format, info.document, info.metadata) = (format, document, rendition.metadata)
        (info.width, info.height, info.frames) = (picture?.width, picture?.height, picture?.frames)
        info.saved = try await save(bytes, info, rendition.saveTo)
        var described = picture ?? source.info
        described.format = format
        return await keep(MadeRendition.Picture(bytes: bytes, info: info, source: described))
    }

    /// Delivers a picture as it came, because its format is one that the output keeps. Its size comes from the header, or from a decoder.
    func keepSource(_ digest: String, _ rendition: Rendition, _ format: ImageFormat) async throws(TintypeError) -> MadeRendition {
        let bytes = source.bytes
        let header = await Loop.work(on: bytes.count) { bytes.withUnsafeBytes { ImageHeader.read($0, as: format) } }
        let picture: SourceInfo
        if let header, header.isComplete { picture = described(by: header) } else { picture = described(by: try await render(nil).source) }
        if let refusal = rendition.requirement?.refusal(of: Requirement.Found(picture)) { throw refusal }
        // The decoder may have taken the bytes over.
        return try await passThrough(digest, rendition, source.bytes.isEmpty ? bytes : nil, of: picture)
    }

    /// The body as UTF-8. Long bodies are read outside of the loop.
    func text(_ acceptance: Acceptance, isXML: Bool = false) async throws(TintypeError) -> [UInt8] {
        guard let reader = parts.bodies else { throw .missing("TextBodies", .decode) }
        let (bytes, type, most) = (source.bytes, source.contentType, acceptance.maxBytes)
        return try await Loop.work(on: bytes.count) { () throws(TintypeError) in
            try reader.text(of: bytes, isXML: isXML, type: type, mostBytes: most)
        }
    }

    /// Whether the body is JSON, of this shape, and nested no deeper. Long bodies are read outside of the loop.
    /// - Throws: `jsonInvalid`.
    func check(_ shape: JSONShape?, maxLevels: Int) async throws(TintypeError) {
        let bytes = source.bytes
        let wrong: String? = await Loop.work(on: bytes.count) {
            do throws(JSONError) {
                let json = try JSON(parsing: bytes, maxDepth: maxLevels)
                return shape?.mismatch(in: json)
            } catch {
                return error.description
            }
        }
        guard let wrong else { return }
        throw TintypeError(
            .jsonInvalid, .decode, "the body is not the JSON asked for: \(wrong)",
            details: ["cause": .string(wrong), "url": .string(RedactedURL(source.info.finalURL).description)])
    }

    /// Saves a result where its request wants it, before anybody is told of it.
    func save(_ bytes: [UInt8], _ info: RenditionInfo, _ target: SaveTarget?) async throws(TintypeError) -> SavedFile? {
        guard let target else { return nil }
        guard let saving = parts.saving else { throw .missing("Saving", .store) }
        reporter.phase(.store, fraction: nil, source: length)
        return try await saving.save(bytes, info, target)
    }
}
