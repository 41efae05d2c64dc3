import Foundation
import Synchronization

/// A network between real processes that a test can cut: each server is met only at its gate, and a gate knows which process comes.
///
/// During a cut no byte and no end of a connection passes, and neither side hears of the cut. All bytes sent meanwhile pass when the cut ends.
/// One thing differs from a cut wire: a gate accepts new connections at once, and then nothing answers.
package final class Network: Sendable {
    /// A process, with its gate if it is a server.
    package struct Member: Sendable {
        let process: Int32
        let gate: UInt16?

        package init(_ service: ServiceProcess) { (process, gate) = (service.process.identifier, nil) }
        package init(_ process: Int32, gate: UInt16) { (self.process, self.gate) = (process, gate) }
    }

    /// The sides of the cut, by process and by gate; those in neither reach everybody.
    private struct Sides {
        var processes: [Int32: Int] = [:]
        var gates: [UInt16: Int] = [:]
    }

    private let sides = Mutex(Sides())

    package init() {}

    /// Members on different sides do not reach each other from now on.
    package func split(_ all: [Member]...) {
        var sides = Sides()
        for (number, side) in all.enumerated() {
            for member in side {
                sides.processes[member.process] = number
                if let gate = member.gate { sides.gates[gate] = number }
            }
        }
        self.sides.withLock { [sides] in $0 = sides }
    }

    /// Ends the cut.
    package func heal() { split() }

    /// Returns the port of a new gate, which leads to a server on a port of loopback.
    package func gate(to port: UInt16) throws -> UInt16 {
        let listener = try ListeningSocket()
        TestScope.atEnd { listener.close() }
        Thread.detachNewThread { [self] in
            while let (near, from) = listener.accept() {
                let source = Self.process(from: from, to: listener.port)
                Thread.detachNewThread { [self] in forward(near, from: source, by: listener.port, to: port) }
            }
        }
        return listener.port
    }

    private func forward(_ near: LoopbackSocket, from source: Int32?, by gate: UInt16, to port: UInt16) {
        waitUntilOpen(source, gate)
        // Without a server the connection is closed.
        guard let far = try? LoopbackSocket(port: port) else { return near.close() }
        for (here, there) in [(near, far), (far, near)] {
            here.read(keeping: 0) { [self] _, bytes in
                waitUntilOpen(source, gate)
                if bytes.isEmpty || !there.send(bytes) {
                    here.close()
                    there.close()
                }
            }
        }
    }

    /// Blocks the thread of a connection while the cut is between its ends.
    private func waitUntilOpen(_ source: Int32?, _ gate: UInt16) {
        guard let source else { return }
        while sides.withLock({ sides in sides.processes[source].flatMap { one in sides.gates[gate].map { $0 != one } } ?? false }) { usleep(2000) }
    }

    /// Returns the child of this process that has connected from a port to a gate: the one that has a descriptor of that socket.
    private static func process(from port: UInt16, to gate: UInt16) -> Int32? {
        let ends = [port, gate].map { "0100007F:" + String(repeating: "0", count: 4 - String($0, radix: 16).count) + String($0, radix: 16, uppercase: true) }
        // The kernel gives a page at each read, and Foundation takes a short one for the end of a file.
        let sockets = (try? FileHandle(forReadingAtPath: "/proc/net/tcp")?.readToEnd()) ?? Data()
        // Other lines are never split: a machine under test has thousands of sockets.
        guard let place = sockets.range(of: Data(ends.joined(separator: " ").utf8)) else { return nil }
        let words = String(decoding: sockets[place.lowerBound...].prefix(160), as: UTF8.self).split(separator: " ")
        guard words.count > 8 else { return nil }
        let inode = "socket:[\(words[8])]"
        return ChildProcess.children(of: getpid()).first { child in
            let folder = "/proc/\(child)/fd"
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            return names.contains { (try? FileManager.default.destinationOfSymbolicLink(atPath: folder + "/" + $0)) == inode }
        }
    }
}
