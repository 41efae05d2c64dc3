import TintypeCore
import TintypeTransport
import TintypeImages

/// The file of an image that was read to its end a moment ago, and whose digest was right. Made on a thread of the pool.
struct VerifiedFile: Sendable {
    let path: String
    let file: OpenFile
    /// The file and its state, from before its bytes were read until after.
    let identity: FileIdentity
    /// The image without its bytes.
    let image: StoredImage
    /// Whether the properties of the open file show that it was deleted or replaced.
    let showsEnd: Bool
    /// The place of the bytes in the file.
    let place: Range<Int>

    /// - Parameters:
    ///   - before: the properties before the read.
    ///   - now: seconds since 1970, from before the read.
    /// - Returns: nil if a later change of the bytes might not be noticed. That is so if the file was changed a moment ago or meanwhile, or lies on
    ///   another machine.
    init?(_ path: String, _ file: OpenFile, _ image: StoredImage, before: FileStatus, at now: Double) {
        guard PromptFiles.contains(file.descriptor), before.identity.isSettled(at: now), let after = try? file.status(),
            after.identity.hasSameBytes(as: before.identity)
        else { return nil }
        (self.path, self.file, identity, showsEnd) = (path, file, after.identity, PromptFiles.showEnds(file.descriptor))
        place = before.size - image.bytes.count..<before.size
        var image = image
        image.sha256 = image.sha256 ?? image.rendition.sha256
        image.bytes = []
        self.image = image
    }

    /// Sets the time of the last read to now. Blocks.
    /// - Parameter known: the identity before, in which the time of change counts too: marking hides an earlier change of that time.
    /// - Returns: the identity after that; nil if the file has changed.
    func markRead(as known: FileIdentity) -> FileIdentity? {
        guard let before = try? file.status().identity, before == known else { return nil }
        file.markRead()
        guard let after = try? file.status().identity, after.hasSameBytes(as: before) else { return nil }
        return after
    }
}
