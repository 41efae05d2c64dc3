import TintypeCore
import TintypeImages

extension SourceLoader {
    /// Reads the bytes of an upload, once there is room for them.
    /// - Parameter share: counts the bytes while they arrive; `hold` counts them from then on.
    func read(_ upload: UploadedSource, _ share: ByteReservation) async throws(TintypeError) -> [UInt8] {
        let brought = try await share.arrive({ [self] in await look(for: upload) }, size: { (try? $0.get().count) ?? 0 })
        let bytes = try brought.get()
        share.remove(bytes.count)
        return bytes
    }

    private func look(for upload: UploadedSource) async -> Result<[UInt8], TintypeError> {
        do throws(TintypeError) {
            return .success(try await cache.uploaded(upload))
        } catch {
            return .failure(error)
        }
    }
}
