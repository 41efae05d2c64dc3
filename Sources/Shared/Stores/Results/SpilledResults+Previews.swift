import TintypeTransport

/// Previews are stored beside the spilled results for a few seconds, in which coordinators read them. Events name them by their key. A Redis that is
/// full accepts none.
extension SpilledResults {
    private nonisolated static let previewMilliseconds: Int64 = 10_000
    /// The maximum length of a preview in bytes.
    package nonisolated static let maxPreviewBytes = 512 << 10
    private nonisolated static var previews: String { prefix + "preview:" }

    /// Stores a preview.
    /// - Parameter jpeg: the picture.
    /// - Returns: its key, or nil if it could not be stored.
    package func hold(preview jpeg: [UInt8]) async -> String? {
        guard jpeg.count <= Self.maxPreviewBytes else { return nil }
        // The key cannot be guessed, and two workers never make the same one.
        let key = Self.previews + String(UInt64.random(in: 0 ... .max), radix: 16) + String(UInt64.random(in: 0 ... .max), radix: 16)
        do throws(RedisError) {
            _ = try await node(of: key).command(["SET", .string(key), .bytes(jpeg), "PX", .int(Self.previewMilliseconds)])
            return key
        } catch {
            return nil
        }
    }

    /// Reads a preview.
    /// - Parameter key: the key in an event. Other keys have no previews.
    package func preview(_ key: String) async -> [UInt8]? {
        guard key.hasPrefix(Self.previews), key.utf8.count <= 100 else { return nil }
        guard case .bulk(let bytes)? = try? await node(of: key).command(["GET", .string(key)]) else { return nil }
        return bytes
    }
}
