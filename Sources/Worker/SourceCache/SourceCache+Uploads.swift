import TintypeCore
import TintypeImages
import TintypeStores

extension SourceCache {
    /// Returns the bytes that a client has uploaded.
    /// - Throws: `httpStatus` 404 if they are not there any more; `storeFailed`, perhaps retryable, if the store does not answer.
    func uploaded(_ upload: UploadedSource) async throws(TintypeError) -> [UInt8] {
        switch try await counted(.get, { () async throws(TintypeError) in try await store.look(up: upload.key) }) {
        case .found(let image): return image.bytes
        case .unreadable: throw Self.noUpload("its bytes were damaged in the store")
        case .absent, .expired: throw Self.noUpload("it has expired (--upload-ttl), was removed, or was never complete")
        }
    }

    private static func noUpload(_ reason: String) -> TintypeError {
        TintypeError(
            .httpStatus, .download, "there is no such upload: \(reason); send the bytes again by PUT /uploads", retryable: false, details: ["status": 404])
    }
}
