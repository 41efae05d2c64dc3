package import TintypeCore
package import TintypeImages
package import TintypeTransport

/// Reads bodies that are asked for as text or XML. A pure value.
package protocol BodyReader: Sendable {
    /// Reads a body by its charset. Long bodies are not read on the loop.
    /// - Parameters:
    ///   - type: the Content-Type of the server.
    ///   - mostBytes: the limit for the text.
    /// - Returns: the text as UTF-8.
    /// - Throws: `textInvalid`, which names the charset; `limitExceeded`.
    func text(of bytes: [UInt8], isXML: Bool, type: String?, mostBytes: Int) throws(TintypeError) -> [UInt8]
}

/// Saves results besides the caches, where an operator allows it. Lives on the loop.
@Loop package protocol ResultSaver: Sendable {
    /// Saves a result whole, or not at all.
    /// - Throws: `denied` for a place that this worker does not know, and what the place refuses.
    func save(_ bytes: [UInt8], _ info: RenditionInfo, _ target: SaveTarget) async throws(TintypeError) -> SavedFile
}
