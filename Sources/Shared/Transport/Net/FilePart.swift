/// An open file whose bytes are sent as bodies of answers.
///
/// Its owner has checked it when an answer begins. Other programs may write into it while a client takes the bytes. An answer whose file has changed is
/// not completed, and its connection ends (`Outgoing`).
@Loop
package protocol OutgoingFile: AnyObject, Sendable {
    /// Open for reading as long as the object exists.
    nonisolated var descriptor: Int32 { get }

    /// Whether the bytes are those that its owner has checked.
    var isUnchanged: Bool { get }

    /// Reads bytes.
    /// - Parameter place: from the beginning of the file.
    /// - Returns: nil if the file is shorter, or any of its bytes may have changed.
    func checkedBytes(_ place: Range<Int>) -> [UInt8]?
}

/// A part of an open file, the body of an answer or the rest of it.
package struct FilePart: Sendable {
    package let file: any OutgoingFile
    /// The place of the first byte in the file.
    package private(set) var offset: Int
    package private(set) var count: Int

    package init(_ file: any OutgoingFile, at offset: Int, count: Int) { (self.file, self.offset, self.count) = (file, offset, count) }

    /// Drops bytes from the front.
    mutating func drop(_ taken: Int) {
        offset += taken
        count -= taken
    }
}
