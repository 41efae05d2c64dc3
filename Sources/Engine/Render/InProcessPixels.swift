import Glibc
package import ImageHeads
package import TintypeCore
package import TintypeImages
import Synchronization

/// The plans of pixel processes in this process, without children, queues or sockets: the baseline for benchmarks of the service.
package enum InProcessPixels {
    /// Makes every rendition once and returns the last one's file. Blocks.
    /// - Parameter graphs: nil: everything goes through libvips.
    /// - Throws: `TintypeError`, as a pixel process would answer.
    package static func run(source: [UInt8], renditions: [Rendition], limits: ImageLimits = ImageLimits(), graphs: PlanarGraphs?)
        throws(TintypeError) -> VipsBytes?
    {
        do throws(PictureFailure) {
            return try source.withBytes { raw throws(PictureFailure) in
                let format = try HeaderGuard(limits: limits).check(raw)
                let clock = PictureClock(deadline: .now + .seconds(60))
                let run = try PictureRun(raw, format: format, limits: limits, clock: clock, graphs: graphs, isLibpngUsed: graphs == nil)
                var bytes: VipsBytes?
                for rendition in renditions { bytes = try run.render(rendition).bytes }
                return bytes
            }
        } catch { throw error.tintypeError }
    }

    /// Runs `tintype-worker --role bare-pixels FILE N THREADS [CANONICAL-RENDITION] [libvips] [out=FILE]`: prints images/s for N images over
    /// THREADS. The default rendition is 720 × 588, the task of sharp's benchmark. With `libvips` no picture takes the planar path,
    /// and libpng reads and writes every PNG. The picture is written to FILE.
    /// - Returns: the exit status.
    package static func main(_ arguments: [String]) -> Int32 {
        guard arguments.count >= 3, let count = Int(arguments[1]), let threads = Int(arguments[2]), count > 0, threads > 0 else {
            StandardStream.printLine("usage: --role bare-pixels FILE N THREADS [RENDITION] [libvips] [out=FILE]")
            return 2
        }
        do {
            try VipsRuntime.start()
            let text = arguments.count > 3 ? arguments[3] : #"{"transform":[{"op":"resize","width":720,"height":588}]}"#
            let rendition = try Rendition(canonical: JSON(parsing: text))
            let source = try bytes(of: arguments[0])
            let isPlanar = !arguments.dropFirst(4).contains("libvips")
            let picture = try run(source: source, renditions: [rendition], graphs: isPlanar ? PlanarGraphs() : nil)
            if let word = arguments.dropFirst(4).first(where: { $0.hasPrefix("out=") }) { try write(picture?.copied() ?? [], to: String(word.dropFirst(4))) }
            let started = ContinuousClock.now
            crew(threads, count) { graphs in _ = try? run(source: source, renditions: [rendition], graphs: isPlanar ? graphs : nil) }
            let seconds = (ContinuousClock.now - started) / .seconds(1)
            let rate = (Double(count) / seconds * 10).rounded() / 10
            StandardStream.printLine("bare-pixels images=\(count) threads=\(threads) images/s=\(rate) bytes=\(picture?.count ?? 0)")
            return 0
        } catch {
            StandardStream.printLine("bare-pixels: \(error)")
            return 1
        }
    }

    private static func crew(_ threads: Int, _ count: Int, _ body: @escaping @Sendable (PlanarGraphs) -> Void) {
        let crew = Crew(count, body)
        var members: [pthread_t] = []
        for _ in 0..<threads {
            var thread = pthread_t()
            pthread_create(
                &thread, nil,
                { context in
                    guard let context else { return nil }
                    Unmanaged<Crew>.fromOpaque(context).takeRetainedValue().work()
                    VipsRuntime.leaveThread()
                    return nil
                }, Unmanaged.passRetained(crew).toOpaque())
            members.append(thread)
        }
        for thread in members { pthread_join(thread, nil) }
    }

    private final class Crew: Sendable {
        private let left: Atomic<Int>
        private let body: @Sendable (PlanarGraphs) -> Void
        init(_ count: Int, _ body: @escaping @Sendable (PlanarGraphs) -> Void) {
            left = Atomic(count)
            self.body = body
        }
        func work() {
            let graphs = PlanarGraphs()
            while left.subtract(1, ordering: .relaxed).newValue >= 0 { body(graphs) }
        }
    }

    /// A file that cannot be read or written. The text is the reason.
    package struct FileFailure: Error, CustomStringConvertible {
        package let description: String
    }

    package static func write(_ bytes: [UInt8], to path: String) throws(FileFailure) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw FileFailure(description: SystemError.last().words) }
        defer { close(descriptor) }
        if let failure = FileCalls.write(bytes, to: descriptor) { throw FileFailure(description: failure.words) }
    }

    /// - Parameter most: the most bytes: a device may have no end.
    package static func bytes(of path: String, atMost most: Int = ImageLimits().maxBytes) throws(FileFailure) -> [UInt8] {
        let bytes: [UInt8]
        do throws(SystemError) { bytes = try FileCalls.read(wholeOf: path, upTo: most) } catch { throw FileFailure(description: error.words) }
        guard bytes.count <= most else { throw FileFailure(description: "more than \(ByteSize.text(most))") }
        return bytes
    }
}
