import Glibc
import TintypeCore
import TintypeTransport
import TintypeImages

/// `tintype convert FILE…`: makes pictures of files without a server, in sealed pixel processes of the worker's program.
enum ConvertCommand {
    static let command = Command(
        "convert", "FILE [FILE ...]", words: 1...Int.max, "Makes pictures of files of this machine, without a server.",
        options: [
            Option(
                "output", short: "o", "FILE",
                "Where the results go. %n is the name of the rendition, or of the file, %e the extension. A folder means %n.%e."),
            Option("processes", "N", "The number of pictures that are made at once. Default: the processors of this machine."),
            Option("json", nil, "Prints JSON: an array with a member for each result."),
        ] + RequestText.pictureOptions.filter { !["cache", "as", "composite", "mask"].contains($0.name) },
        notes: """
            Examples:
              tintype convert photo.jpg --resize 400x300 --fit cover -o photo.webp
              tintype convert *.jpg --resize 160x160 --fit cover --format webp -o thumbnails/
            """,
        run: run)

    @Loop private static func run(_ arguments: Arguments) async throws -> Int32 {
        let files = arguments.words
        var params = try RequestText.params(url: "data:,", arguments, pictures: true)
        guard let pattern = arguments["output"] else { throw UsageError("missing: -o, where the results go, such as -o 'small/%n.%e'") }
        let output = try OutputName(pattern, renditions: params["renditions"]?.array?.count ?? 1)
        guard files.count == 1 || output.distinguishes else { throw UsageError("\(files.count) files need %n (the name) in -o, such as -o 'small/%n.%e'") }
        if let format = output.format { LoadCommand.addFormat(format, to: &params) }
        let renditions: [Rendition]
        do throws(TintypeError) { renditions = try ImageRequest(.object(params)).renditions } catch { throw UsageError(error.message) }
        guard let processes = Int(arguments["processes"] ?? "\(sysconf(Int32(_SC_NPROCESSORS_ONLN)))"), (1...256).contains(processes) else {
            throw UsageError("--processes takes a number from 1 to 256")
        }
        let work = try WorkFolder()
        defer { work.remove() }
        var results: [JSON] = []
        var failures = 0
        let pairs = files.enumerated().flatMap { [$1, "\(work.path)/\($0)"] }
        let places = Dictionary(files.enumerated().map { (ExactText($1), $0) }, uniquingKeysWith: { first, _ in first })
        let end = try await WorkerProgram.run("convert", ["\(processes)", JSON.array(renditions.map(\.canonical)).text] + pairs) { line in
            guard var result = (try? JSON(parsing: Array(line.utf8)))?.object, let file = result["file"]?.string, let index = result["rendition"]?.int,
                let place = places[ExactText(file)], renditions.indices.contains(index)
            else { return }
            do {
                if let error = result["error"] { throw TintypeError(json: error) }
                let target = output.path(
                    named: name(of: file, renditions[index], isOne: renditions.count == 1, isAlone: files.count == 1), format: result["format"]?.string)
                try OutputName.write(try InputText.bytes("\(work.path)/\(place).\(index)"), to: target)
                unlink("\(work.path)/\(place).\(index)")
                result["saved"] = .string(target)
                if !arguments.isJSON { try Output.lines(text(result, target)) }
            } catch {
                failures += 1
                if !arguments.isJSON { Output.note("tintype: \(file): \((error as? TintypeError)?.message ?? "\(error)")") }
            }
            results.append(.object(result))
        }
        if results.count < files.count * renditions.count {
            failures += 1
            Output.note("tintype: the worker's program ended early: \(end)")
        }
        // Several files end in any order.
        if arguments.isJSON { try Output.json(.array(results.sorted { order($0, places) < order($1, places) })) }
        return failures == 0 ? 0 : 1
    }

    private static func order(_ result: JSON, _ places: [ExactText: Int]) -> (Int, Int) {
        (result["file"]?.string.flatMap { places[ExactText($0)] } ?? 0, result["rendition"]?.int ?? 0)
    }

    /// Returns the name in place of `%n`: that of the file, of the rendition, or both if there are several of each.
    private static func name(of file: String, _ rendition: Rendition, isOne: Bool, isAlone: Bool) -> String {
        let whole = file.split(separator: "/").last.map(String.init) ?? file
        let stem = whole.lastIndex(of: ".").flatMap { $0 > whole.startIndex ? String(whole[..<$0]) : nil } ?? whole
        return isOne ? stem : isAlone ? rendition.name : "\(stem)-\(rendition.name)"
    }

    private static func text(_ result: JSONObject, _ file: String) -> String {
        "\(file)  \(result["width"]?.int ?? 0)x\(result["height"]?.int ?? 0)  \(ByteSize.text(result["bytes"]?.int ?? 0))"
    }

    /// A folder for results on their way to their places. Only this user can read it.
    private struct WorkFolder {
        let path: String

        init() throws(UsageError) {
            var name = Array(((ProcessEnvironment.all()["TMPDIR"] ?? "/tmp") + "/tintype-XXXXXX").utf8CString)
            guard mkdtemp(&name) != nil else { throw UsageError("no folder for results can be made in $TMPDIR: \(String(cString: strerror(errno)))") }
            path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }

        func remove() {
            for name in PathKind.names(beside: path + "/") where !name.hasPrefix(".") { unlink("\(path)/\(name)") }
            rmdir(path)
        }
    }
}
