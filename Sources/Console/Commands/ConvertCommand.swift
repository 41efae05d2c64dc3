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
                "Where the results go, or - for standard output. %n is the name of the file, or of the rendition, %e the extension. A folder means %n.%e."),
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
        let files = try arguments.words.map { word throws(UsageError) in
            guard case .file(let path) = try SourceWord(word, isRelative: false) else {
                throw UsageError("convert takes files of this machine, not \(word): use tintype load, which asks a coordinator")
            }
            return path
        }
        guard let pattern = arguments["output"] else { throw UsageError("missing: -o, where the results go, such as -o 'small/%n.%e'") }
        var params = try RequestText.params(url: "data:,", arguments, pictures: true)
        let output = try OutputName(pattern, renditions: params["renditions"]?.array?.count ?? 1)
        if output.isStandardOutput, arguments.isJSON { throw UsageError("-o - and --json both use standard output: leave one out") }
        if output.namesKey { throw UsageError("%k in -o is the key of a stored result, which a converted file does not have") }
        if let format = output.format { LoadCommand.addFormat(format, to: &params) }
        let renditions = try renditions(params)
        let names = try names(files, renditions, output)
        guard let processes = Int(arguments["processes"] ?? "\(sysconf(Int32(_SC_NPROCESSORS_ONLN)))"), (1...256).contains(processes) else {
            throw UsageError("--processes takes a number from 1 to 256")
        }
        let sources = Set(files.compactMap(identity))
        let work = try WorkFolder()
        defer { work.remove() }
        var results: [JSON] = []
        var (ended, failures) = (0, 0)
        let end = try await WorkerProgram.run(
            "convert", ["\(processes)", JSON.array(renditions.map(\.canonical)).text, work.path] + files
        ) { line in
            guard var result = (try? JSON(parsing: Array(line.utf8)))?.object, let number = result["number"]?.int, files.indices.contains(number),
                let index = result["rendition"]?.int, renditions.indices.contains(index)
            else { return }
            ended += 1
            result["file"] = .string(files[number])
            do {
                if let error = result["error"] { throw TintypeError(json: error) }
                let (made, target) = ("\(work.path)/\(number).\(index)", output.path(named: names[number][index], format: result["format"]?.string))
                let bytes = try InputText.bytes(made)
                unlink(made)
                if output.isStandardOutput { return try Output.bytes(bytes) }
                if let there = identity(target), sources.contains(there) { throw UsageError("its result would replace \(target), which is a source") }
                try OutputName.write(bytes, to: target)
                result["saved"] = .string(target)
                if !arguments.isJSON { try Output.lines(text(result, target)) }
            } catch {
                failures += 1
                let reason = (error as? TintypeError)?.message ?? (error as? UsageError)?.mistakes.joined(separator: ", ") ?? "\(error)"
                if result["error"] == nil { result["error"] = TintypeError(.storeFailed, .store, reason).json }
                if !arguments.isJSON { Output.note("tintype: \(files[number]): \(reason)") }
            }
            if arguments.isJSON { results.append(.object(result)) }
        }
        if ended < files.count * renditions.count {
            failures += 1
            Output.note("tintype: the worker's program ended early: \(end)")
        }
        // Several files end in any order.
        if arguments.isJSON { try Output.json(.array(results.sorted { place($0) < place($1) })) }
        return failures == 0 ? 0 : 1
    }

    private static func place(_ result: JSON) -> (Int, Int) { (result["number"]?.int ?? 0, result["rendition"]?.int ?? 0) }

    private static func renditions(_ params: JSONObject) throws(UsageError) -> [Rendition] {
        let renditions: [Rendition]
        do throws(TintypeError) { renditions = try ImageRequest(.object(params)).renditions } catch { throw UsageError(error.message) }
        for rendition in renditions where !rendition.layers.isEmpty || ImageFormat.allCases.contains(where: rendition.output.keeps) {
            throw UsageError("pictures from URLs and keep need a coordinator: use tintype load")
        }
        return renditions
    }

    /// Returns the names in place of `%n`, by file and rendition. Several files and renditions give both a part.
    /// - Throws: `UsageError` if two results would have one file.
    private static func names(_ files: [String], _ renditions: [Rendition], _ output: OutputName) throws(UsageError) -> [[String]] {
        var known: [ExactText: String] = [:]
        guard files.count * renditions.count == 1 || output.distinguishes else {
            throw UsageError("several results need %n (the name) in -o, such as -o 'small/%n.%e'")
        }
        return try files.map { file throws(UsageError) in
            let whole = file.split(separator: "/").last.map(String.init) ?? file
            let stem = whole.lastIndex(of: ".").flatMap { $0 > whole.startIndex ? String(whole[..<$0]) : nil } ?? whole
            let names = renditions.map { renditions.count == 1 ? stem : files.count == 1 ? $0.name : "\(stem)-\($0.name)" }
            for name in names {
                if let other = known.updateValue(file, forKey: ExactText(name)) {
                    throw UsageError("\(other) and \(file) would both be \(output.path(named: name, format: nil)): convert them in two calls")
                }
            }
            return names
        }
    }

    /// Returns the device and the number of the file that a path leads to; nil if there is none.
    private static func identity(_ path: String) -> [UInt64]? {
        var facts = stat()
        return stat(path, &facts) == 0 ? [UInt64(facts.st_dev), UInt64(facts.st_ino)] : nil
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
