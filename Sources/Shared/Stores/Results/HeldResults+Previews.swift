import TintypeTransport

/// Previews lie beside the results that are held, for the few seconds that coordinators need to read them: events name them by their key.
/// A Redis that is full takes none.
extension HeldResults {
    private nonisolated static let previewMilliseconds: Int64 = 10_000
    /// The longest preview that is held.
    package nonisolated static let maxPreviewBytes = 512 << 10
    private nonisolated static var previews: String { prefix + "preview:" }

    /// - Parameter jpeg: the picture.
    /// - Returns: the key under which it lies, or nil if it could not be held.
    package func hold(preview jpeg: [UInt8]) async -> String? {
        guard jpeg.count <= Self.maxPreviewBytes else { return nil }
        // Nobody can guess it, and two workers never make the same.
        let key = Self.previews + String(UInt64.random(in: 0 ... .max), radix: 16) + String(UInt64.random(in: 0 ... .max), radix: 16)
        do throws(RedisError) {
            _ = try await node.command(["SET", .string(key), .bytes(jpeg), "PX", .int(Self.previewMilliseconds)])
            return key
        } catch {
            return nil
        }
    }

    /// - Parameter key: as an event names it; other keys hold no previews.
    package func preview(_ key: String) async -> [UInt8]? {
        guard key.hasPrefix(Self.previews), key.utf8.count <= 100 else { return nil }
        guard case .bulk(let bytes)? = try? await node.command(["GET", .string(key)]) else { return nil }
        return bytes
    }
}
