import Engine
import Glibc
import TintypeCore
import TintypeTransport
import TintypeImages

/// Files made into other files without a server: `tintype-worker --role convert PROCESSES RENDITIONS IN OUT [IN OUT …]`, for `tintype convert`.
///
/// Each file goes through pixel processes, as a download does. The result of the rendition with the number N (0 is the first) is the file OUT.N.
/// A line of JSON says what became of each: `{file, rendition, format, width, height, frames, bytes}`, or `{file, rendition, error}`.
enum ConvertRole {
    /// - Parameter arguments: the number of processes, canonical renditions as a JSON array, and pairs of files.
    static func main(_ arguments: [String]) -> Never {
        guard arguments.count >= 4, arguments.count.isMultiple(of: 2), let processes = Int(arguments[0]), processes > 0,
            let list = try? JSON(parsing: arguments[1]).array,
            let renditions = try? list.map({ json throws(TintypeError) in try Rendition(canonical: json) }), !renditions.isEmpty
        else {
            StandardStream.printError("usage: --role convert PROCESSES RENDITIONS IN OUT [IN OUT …]")
            exit(2)
        }
        let files = stride(from: 2, to: arguments.count, by: 2).map { (from: arguments[$0], to: arguments[$0 + 1]) }
        Loop.execute {
            let scope = TaskScope()
            scope.run("convert") { exit(await run(files, renditions, processes)) }
        }
        while true { pause() }
    }

    @Loop private static func run(_ files: [(from: String, to: String)], _ renditions: [Rendition], _ processes: Int) async -> Int32 {
        let pool = PixelPool(settings: PixelSettings(processes: processes), logger: Logger(label: "convert"), metrics: Metrics())
        var waiting = files[...]
        var failures = 0
        let crew = TaskScope()
        for _ in 0..<min(processes, files.count) {
            crew.run("convert") {
                while let file = waiting.popFirst() { failures += await convert(file, renditions, pool) }
            }
        }
        await crew.drain()
        await pool.stop()
        return failures == 0 ? 0 : 1
    }

    /// Makes all renditions of a file.
    /// - Returns: the number of failures.
    @Loop private static func convert(_ file: (from: String, to: String), _ renditions: [Rendition], _ pool: PixelPool) async -> Int {
        var failures = 0
        var source: JobSource?
        for (index, rendition) in renditions.enumerated() {
            var line: JSONObject = ["file": .string(file.from), "rendition": JSON(index)]
            do throws(TintypeError) {
                let memory: JobSource
                if let source { memory = source } else { memory = try await pool.source(bytes(of: file.from)) }
                source = memory
                line = line.merging(try await made(memory, rendition, isLast: index == renditions.count - 1, at: "\(file.to).\(index)", pool))
            } catch {
                failures += 1
                line["error"] = error.json
            }
            StandardStream.printLine(JSON.object(line).text)
        }
        return failures
    }

    @Loop private static func made(
        _ source: JobSource, _ rendition: Rendition, isLast: Bool, at path: String, _ pool: PixelPool
    ) async throws(TintypeError) -> JSONObject {
        guard rendition.layers.isEmpty else {
            throw TintypeError(.invalidParams, .admission, "pictures from URLs need a coordinator: use tintype load for composite and mask")
        }
        var job = PixelJob(source: source, rendition: rendition, deadline: .seconds(600))
        job.isMoreToCome = !isLast
        let result = try await pool.run(job)
        guard let picture = result.output else { throw TintypeError(.internalError, .encode, "the pixel process returned no picture") }
        try write(picture.bytes, to: path)
        return [
            "format": .string(picture.format.rawValue), "width": JSON(picture.width), "height": JSON(picture.height), "frames": JSON(picture.frames),
            "bytes": JSON(picture.bytes.count),
        ]
    }

    private static func bytes(of path: String) throws(TintypeError) -> [UInt8] {
        guard let bytes = try? InProcessPixels.bytes(of: path) else {
            throw TintypeError(.invalidURL, .download, "\(path) cannot be read: \(String(cString: strerror(errno)))")
        }
        return bytes
    }

    private static func write(_ bytes: [UInt8], to path: String) throws(TintypeError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        var sent = 0
        while descriptor >= 0, sent < bytes.count {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress! + sent, $0.count - sent) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            sent += count
        }
        let code = errno
        guard descriptor >= 0, close(descriptor) == 0, sent == bytes.count else {
            throw TintypeError(.internalError, .encode, "\(path) cannot be written: \(String(cString: strerror(code)))")
        }
    }
}
