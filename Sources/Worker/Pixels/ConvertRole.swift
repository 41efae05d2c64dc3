import Engine
import Glibc
import TintypeCore
import TintypeTransport
import TintypeImages

/// Files made into other files without a server: `tintype-worker --role convert PROCESSES RENDITIONS FOLDER FILE…`, for `tintype convert`.
///
/// Each file goes through pixel processes, as a download does. A result is the file NUMBER.RENDITION in FOLDER, both counted from 0.
/// A line of JSON says what became of it: `{number, rendition, format, width, height, frames, bytes}`, or `{number, rendition, error}`.
enum ConvertRole {
    /// - Parameter arguments: the number of processes, canonical renditions as a JSON array, the folder, and the files.
    static func main(_ arguments: [String]) -> Never {
        guard arguments.count >= 4, let processes = Int(arguments[0]), processes > 0, let list = try? JSON(parsing: arguments[1]).array,
            let renditions = try? list.map({ json throws(TintypeError) in try Rendition(canonical: json) }), !renditions.isEmpty
        else {
            StandardStream.printError("usage: --role convert PROCESSES RENDITIONS FOLDER FILE…")
            exit(2)
        }
        Loop.execute {
            let scope = TaskScope()
            scope.run("convert") { exit(await run(Array(arguments[3...]), renditions, into: arguments[2], processes)) }
        }
        while true { pause() }
    }

    @Loop private static func run(_ files: [String], _ renditions: [Rendition], into folder: String, _ processes: Int) async -> Int32 {
        let pool = PixelPool(settings: PixelSettings(processes: min(processes, files.count)), logger: Logger(label: "convert"), metrics: Metrics())
        var waiting = files.enumerated().makeIterator()
        var failures = 0
        let crew = TaskScope()
        for _ in 0..<min(processes, files.count) {
            crew.run("convert") {
                while let (number, file) = waiting.next() { failures += await convert(file, renditions, to: "\(folder)/\(number)", number, pool) }
            }
        }
        await crew.drain()
        await pool.stop()
        return failures == 0 ? 0 : 1
    }

    /// Makes all renditions of a file.
    /// - Returns: the number of failures.
    @Loop private static func convert(_ file: String, _ renditions: [Rendition], to path: String, _ number: Int, _ pool: PixelPool) async -> Int {
        var failures = 0
        var source: Result<JobSource, TintypeError>?
        for (index, rendition) in renditions.enumerated() {
            var line: JSONObject = ["number": JSON(number), "rendition": JSON(index)]
            do throws(TintypeError) {
                if source == nil { source = await read(file, pool) }
                guard let source = try source?.get() else { continue }
                var job = PixelJob(source: source, rendition: rendition, deadline: .seconds(600))
                job.isMoreToCome = index < renditions.count - 1
                guard let picture = try await pool.run(job).output else {
                    throw TintypeError(.internalError, .encode, "the pixel process returned no picture")
                }
                do { try InProcessPixels.write(picture.bytes, to: "\(path).\(index)") } catch {
                    throw TintypeError(.storeFailed, .store, "\(path).\(index) cannot be written: \(error)")
                }
                line = line.merging([
                    "format": .string(picture.format.rawValue), "width": JSON(picture.width), "height": JSON(picture.height),
                    "frames": JSON(picture.frames), "bytes": JSON(picture.bytes.count),
                ])
            } catch {
                failures += 1
                line["error"] = error.json
            }
            StandardStream.printLine(JSON.object(line).text)
        }
        return failures
    }

    @Loop private static func read(_ file: String, _ pool: PixelPool) async -> Result<JobSource, TintypeError> {
        do throws(TintypeError) {
            let bytes: [UInt8]
            do { bytes = try InProcessPixels.bytes(of: file) } catch { throw TintypeError(.invalidURL, .download, "the file cannot be read: \(error)") }
            return .success(try await pool.source(bytes))
        } catch {
            return .failure(error)
        }
    }
}
