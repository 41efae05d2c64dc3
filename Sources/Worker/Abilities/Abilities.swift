package import TintypeCore
package import TintypeImages
package import TintypeQueue
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

/// Keeps the cookies of origins in jars that several fetches share. Lives on the loop.
@Loop package protocol CookieSource: Sendable {
    /// Reads the cookies of a jar, as lines of Netscape's cookie file, by domain, path and name.
    /// - Parameter scope: the hash of the scope that owns the jar (`Source.scope`).
    /// - Throws: `unavailable` while the jar cannot be read.
    func read(_ jar: String, of scope: String?) async throws(TintypeError) -> [ExactText: String]

    /// Writes the changes that a transfer made to the cookies it began with.
    func write(_ jar: String, of scope: String?, from before: [ExactText: String], to after: [String]) async
}

/// Sees a source while it arrives. Lives on the loop.
@Loop package protocol DownloadObserver: AnyObject, Sendable {
    /// The source begins to arrive, perhaps again from another address.
    func begin()

    /// More of the source is there.
    /// - Parameter expected: the length of the whole source, if known.
    func grew(_ bytes: [UInt8], expected: Int64?)

    /// The source is complete or will not come. Work on what has arrived is dropped.
    func end()
}

/// A download that receipts want to see before its end.
package struct WatchedDownload: Sendable {
    package let options: PreviewOptions
    package let queue: Queue
    package let lease: RunLease
    /// The scope whose source it is; nil: of none.
    package let owner: String?
    /// Offers what has arrived of the source to an observer.
    package let look: @Loop (any DownloadObserver) -> Void
}
