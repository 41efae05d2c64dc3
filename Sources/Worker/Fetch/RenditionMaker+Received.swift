import ImageHeads
import TintypeCore
import TintypeImages
import TintypeQueue

/// The part of a source that no decoder could read, as operators see it.
extension RenditionMaker {
    /// The most bytes of a source that an error shows.
    static let mostShown = 64

    /// Returns the error with `received`: the first bytes of the source, their format, and its digest if the bytes killed a pixel process.
    /// Only failures of decoders and refused types have it, so no other run pays for it. The bytes of a source with credentials are never shown.
    func showing(_ error: TintypeError) -> TintypeError {
        let crashed = error.details["crashed"]?.bool == true
        guard crashed || [.badImageData, .unsupportedFormat, .contentType].contains(error.name), !Requirement.isRefusal(error) else { return error }
        var received = JSONObject()
        let start = beginning(Self.mostShown)
        if !start.isEmpty, !isSecret() {
            received["start"] = .string(Digest.hex(start))
            switch ImageSniff.of(start) {
            case .image(let format): received["format"] = .string(format.rawValue)
            case .other(let name): received["format"] = .string(name)
            case nil: break
            }
        }
        if crashed { received["sha256"] = source.info.sha256.map { .string($0) } }
        return received.isEmpty ? error : error.adding("received", .object(received))
    }
}

extension CredentialStripper {
    /// Whether bytes of a source may be shown to its clients alone. That is so with credentials, cookies or a key, or if its origin says so.
    static func hides(_ source: Source, as fetch: JSON, isPrivate: Bool) -> Bool {
        isPrivate || source.fetch.decrypt != nil || source.fetch.cookies != nil || !text(of: fetch, renditions: []).isEmpty
    }
}
