package import TintypeCore

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
