import Engine
import Glibc
import TintypeCore
import TintypeTransport
import TintypeImages

/// A benchmark that sends pictures through a real pool: `tintype-worker --role pool-bench FILE N PROCESSES [CANONICAL-RENDITION]`.
/// Without a rendition no picture is made. It then measures the handover of a picture, the reading of its header, and the answer.
package enum PoolBench {
    /// Prints pictures per second and microseconds per picture. Never returns.
    package static func main(_ arguments: [String]) -> Never {
        guard arguments.count >= 3, let count = Int(arguments[1]), let processes = Int(arguments[2]), count > 0, processes > 0,
            let source = try? InProcessPixels.bytes(of: arguments[0])
        else {
            StandardStream.printLine("usage: --role pool-bench FILE N PROCESSES [RENDITION]")
            exit(2)
        }
        let rendition = arguments.count > 3 ? try? Rendition(canonical: JSON(parsing: arguments[3])) : nil
        Loop.execute {
            let scope = TaskScope()
            scope.run("pool-bench") { exit(await run(source, rendition, count, processes)) }
        }
        while true { pause() }
    }

    @Loop private static func run(_ source: [UInt8], _ rendition: Rendition?, _ count: Int, _ processes: Int) async -> Int32 {
        let pool = PixelPool(settings: PixelSettings(processes: processes), logger: Logger(label: "bench"), metrics: Metrics())
        func picture() async throws { _ = try await pool.run(PixelJob(source: pool.source(source), rendition: rendition)) }
        for _ in 0..<processes { try? await picture() }
        var left = count
        var failures = 0
        let crew = TaskScope()
        let began = ContinuousClock.now
        for _ in 0..<processes {
            crew.run("bench") {
                while left > 0 {
                    left -= 1
                    do { try await picture() } catch { failures += 1 }
                }
            }
        }
        await crew.drain()
        let seconds = (ContinuousClock.now - began) / .seconds(1)
        let rate = (Double(count) / seconds * 10).rounded() / 10
        let each = Int(seconds / Double(count) * Double(processes) * 1e6)
        StandardStream.printLine("pool images=\(count) processes=\(processes) failures=\(failures) images/s=\(rate) microseconds=\(each)")
        await pool.stop()
        return failures == 0 ? 0 : 1
    }
}
