import Engine
import ImageHeads
import TintypeCore
import TintypeImages
import TintypeQueue

/// Probes: answers from a header, without a result.
extension RenditionMaker {
    /// Answers a probe from the header, with the asked traits. If only a decoder can read the header, a pixel process opens the picture.
    func probe(_ digest: String, _ rendition: Rendition) async throws(TintypeError) -> MadeRendition {
        let format = try await look { [headerGuard = parts.imageGuard.serving(rendition.decode)] source throws(TintypeError) in
            try headerGuard.format(of: source)
        }
        var info = source.info
        var description: JSONObject?
        let header: ImageHeader?
        if rendition.traits == [.exif], let found = source.header, let exif = Self.exif(source.bytes, found.format) {
            (header, description) = (found, ["exif": .object(exif)])
        } else if !rendition.traits.isEmpty {
            let result = try await render(rendition)
            (info, description, header) = (described(by: result.source), result.description, nil)
        } else {
            header = try await look { source in source.header ?? source.bytes.withUnsafeBytes { ImageHeader.read($0, as: format) } }
        }
        if let header, header.isComplete {
            info = described(by: header)
        } else if rendition.traits.isEmpty {
            info = described(by: try await render(nil).source)
        }
        info.expiresAt = max(WallClock.now, source.freshUntil)
        // A probe has no result, so only the version and the age are known.
        var facts: JSONObject = version == 0 ? [:] : ["version": JSON(version)]
        (facts["expiresAt"], facts["storedAt"]) = (info.expiresAt.map { JSON($0) }, JSON(source.storedAt))
        let time = kept(until: source.freshUntil)
        return MadeRendition(outcome: RenditionOutcome(digest, .success(info: facts, source: info.json.object ?? [:], description: description, time: time)))
    }

    private static func exif(_ bytes: [UInt8], _ format: ImageFormat) -> JSONObject? {
        bytes.withUnsafeBytes { bytes in EXIFLocator(bytes, format)?.summary(in: bytes) }
    }
}
