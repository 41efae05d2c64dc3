import Foundation

/// A folder below the system's temporary one that is removed when the value is released.
package final class TemporaryFolder: Sendable {
    package let path: String

    package init(_ purpose: String = "test") throws {
        var template = Array((NSTemporaryDirectory() + "/tintype-\(purpose)-XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil else { throw TestFailure("mkdtemp: errno \(errno)") }
        path = String(decoding: template.dropLast().map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
    }

    /// Returns the relative paths below a folder. Unlike `subpathsOfDirectory` it tolerates deletions by other processes meanwhile.
    package static func paths(below folder: String) -> [String] {
        FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
