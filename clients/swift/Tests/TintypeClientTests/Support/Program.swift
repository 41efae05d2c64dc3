import Foundation
import Synchronization

/// A process that says on a line where it listens.
final class Program: Sendable {
    private let process: Process
    private let output: Pipe
    /// The words of the line `ready`.
    let words: [String: String]

    /// The folder of the built programs: $TINTYPE_PROGRAMS, or that of a debug build.
    static let folder: URL = {
        if let named = ProcessInfo.processInfo.environment["TINTYPE_PROGRAMS"] { return URL(filePath: named) }
        return URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../../../.build/debug").standardized
    }()

    /// Starts a program, and waits until it says that it is ready.
    init(_ name: String, _ arguments: [String]) throws {
        process = Process()
        output = Pipe()
        process.executableURL = name.hasPrefix("/") ? URL(filePath: name) : Self.folder.appending(path: name)
        process.arguments = arguments
        process.standardOutput = output
        process.standardInput = FileHandle.nullDevice
        if ProcessInfo.processInfo.environment["SHOW"] == nil { process.standardError = FileHandle.nullDevice }
        try process.run()
        var text = ""
        var words: [String: String] = [:]
        let isRedis = name.hasSuffix("redis-server")
        while words.isEmpty {
            let data = output.fileHandleForReading.availableData
            if data.isEmpty { throw NeverCame(description: "\(name) has ended early: \(text)") }
            text += String(decoding: data, as: UTF8.self)
            if isRedis, text.contains("eady to accept connections") { words["ready"] = "" }
            for line in text.split(separator: "\n") where line.hasPrefix("ready ") && text.hasSuffix("\n") {
                for word in line.split(separator: " ").dropFirst() {
                    let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
                    words[parts[0]] = parts.count > 1 ? parts[1] : ""
                }
            }
        }
        self.words = words
        // Nobody reads the rest, but the pipe must not fill up.
        let reading = output.fileHandleForReading
        Thread.detachNewThread { while !reading.availableData.isEmpty {} }
    }

    /// Ends the process, and waits until it is gone.
    func end(_ signal: Int32 = SIGKILL) async {
        if process.isRunning { kill(process.processIdentifier, signal) }
        while process.isRunning { try? await Task.sleep(for: .milliseconds(5)) }
    }

    /// Finds a program on the path.
    static func find(_ name: String) throws -> String {
        for folder in (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin").split(separator: ":") {
            let path = "\(folder)/\(name)"
            if FileManager.default.isExecutableFile(atPath: path) { return path }
        }
        throw NeverCame(description: "there is no \(name) on the path")
    }

    /// Runs a program to its end, and returns its status and its output.
    static func run(_ name: String, _ arguments: [String], in folder: URL? = nil) async throws -> (status: Int32, text: String) {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: try find(name))
        process.arguments = arguments
        if let folder { process.currentDirectoryURL = folder }
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let reading = output.fileHandleForReading
        let text = Mutex("")
        let isRead = Mutex(false)
        Thread.detachNewThread {
            let data = reading.readDataToEndOfFile()
            text.withLock { $0 = String(decoding: data, as: UTF8.self) }
            isRead.withLock { $0 = true }
        }
        while process.isRunning || !isRead.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(10)) }
        return (process.terminationStatus, text.withLock { $0 })
    }
}
