import Foundation
package import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue

/// A logger whose lines a test reads.
package final class LoggedLines: Sendable {
    package let logger: Logger
    private let folder: TemporaryFolder
    private let file: FileHandle

    package init(_ level: LogLevel = .info) throws {
        folder = try TemporaryFolder("log")
        _ = FileManager.default.createFile(atPath: folder.path + "/log", contents: nil)
        file = try FileHandle(forWritingTo: URL(fileURLWithPath: folder.path + "/log"))
        logger = Logger(label: "test", level: level, descriptor: file.fileDescriptor)
    }

    /// Every line so far.
    package var all: [String] {
        (try? String(contentsOfFile: folder.path + "/log", encoding: .utf8))?.split(separator: "\n").map(String.init) ?? []
    }

    /// Returns the lines that contain `words`.
    package func holding(_ words: String) -> [String] { all.filter { $0.contains(words) } }

    /// Returns when a line contains `words`.
    package func until(_ words: String) async throws { try await Gate.until("a line says \(words)") { !holding(words).isEmpty } }
}
