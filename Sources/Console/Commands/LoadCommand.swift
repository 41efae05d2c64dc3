import Glibc
import TintypeCore
import TintypeTransport
import TintypeImages

/// `tintype load URL|FILE|-`: requests an image, shows its progress, and saves the results. A file is uploaded first, and removed at the end.
enum LoadCommand {
    static let command = Command(
        "load", "URL|FILE|-", words: 1...1, "Loads an image (a URL, a file of this machine, or - for standard input), transforms it and saves the results.",
        options: [
            Option(
                "output", short: "o", "FILE",
                "Saves the result. %n is the rendition's name, %e the extension, %k the key, - standard output. Without -o, prints the URL of each result."
            ),
            Option(
                "http", "HOST:PORT", "The address that files are sent to and results come from; https://HOST:PORT for TLS. Default: the coordinator names it."),
            Option("quiet", short: "q", nil, "Shows no progress."),
        ] + RequestText.pictureOptions + RequestText.fetchOptions + Command.connection,
        notes: """
            Examples (URL: the address of any picture):
              tintype load URL --resize 400x300 --fit cover --format webp -o photo.webp
              tintype load URL --crop 800x600+10+20 --rotate 90 --quality 70 -o cut.jpg
              tintype load photo.jpg --resize 400x -o small.webp
              tintype load URL -o 'out/%n.%e' \\
                  --rendition 'thumb:resize=160x160,fit=cover,format=webp' --rendition 'large:resize=1600x,format=avif'
            """,
        run: run)

    @Loop private static func run(_ arguments: Arguments) async throws -> Int32 {
        let word = arguments.words[0]
        var params = try RequestText.params(url: word, arguments, pictures: true)
        let output = try arguments["output"].map { try OutputName($0, renditions: params["renditions"]?.array?.count ?? 1) }
        if output?.isStandardOutput == true, arguments.isJSON { throw UsageError("-o - and --json both use standard output: leave one out") }
        if let format = output?.format { addFormat(format, to: &params) }
        let bytes = try bytes(SourceWord(word, isRelative: params["fetch"]?["base"] != nil))
        let display = ProgressDisplay(silent: arguments.isJSON || arguments.has("quiet"))
        params["progress"] = ["interval": 0.1, "fraction": 0.02]
        let client = try await RPCClient.connect(arguments)
        defer { client.close() }
        client.onNotification = { method, event in
            if method == "image.event" { display.take(event) }
        }
        var upload: (port: HTTPPort, url: String)?
        if let bytes {
            let port = try await HTTPPort(of: client, arguments)
            upload = (port, try await port.upload(bytes))
            params["url"] = upload.map { .string($0.url) }
        }
        let answer: Result<JSON, ClientFailure>
        do throws(ClientFailure) { answer = .success(try await client.call("image.load", .object(params))) } catch { answer = .failure(error) }
        display.finish()
        if let upload { await upload.port.remove(upload.url) }
        let result = ImageResult(json: try answer.get())
        var saved: [String?] = []
        if let output { saved = try await save(result, output, HTTPPort(of: client, arguments)) }
        try report(result, saved: saved, arguments)
        return 0
    }

    /// The most bytes that are read: they are in memory, and few coordinators take as many.
    private static let mostBytes = 1 << 30

    /// Returns the bytes of a file or of standard input; nil for a URL.
    private static func bytes(_ source: SourceWord) throws(UsageError) -> [UInt8]? {
        let path: String
        switch source {
        case .url: return nil
        case .file(let file): path = file
        case .input: path = "-"
        }
        let bytes = try InputText.bytes(path, atMost: mostBytes)
        guard !bytes.isEmpty else { throw UsageError("\(path == "-" ? "standard input" : path) is empty: there is no image to load") }
        return bytes
    }

    /// Sets the output format that the file name asks for: `-o photo.webp` means WebP, unless the request names a format.
    static func addFormat(_ format: ImageFormat, to params: inout JSONObject) {
        guard params["renditions"] == nil, params["output"]?["format"] == nil, params["as"]?.string != "bytes" else { return }
        params["output"] = .object((params["output"]?.object ?? [:]).merging(["format": .string(format.rawValue)]))
    }

    /// Downloads and writes every rendition, and returns their files in the same order.
    @Loop private static func save(_ result: ImageResult, _ output: OutputName, _ port: HTTPPort) async throws -> [String?] {
        var saved: [String?] = []
        for rendition in result.renditions {
            guard let path = rendition.url ?? rendition.key.map({ "/images/\($0)" }) else { continue }
            let bytes = try await port.get(path)
            if output.isStandardOutput {
                try Output.bytes(bytes)
                saved.append(nil)
            } else {
                let file = output.path(for: rendition)
                try OutputName.write(bytes, to: file)
                if let note = output.note(on: file, rendition) { Output.note("tintype: \(note)") }
                saved.append(file)
            }
        }
        return saved
    }

    private static func report(_ result: ImageResult, saved: [String?], _ arguments: Arguments) throws {
        if arguments["output"] == "-" { return }
        if arguments.isJSON {
            var whole = result
            for (index, file) in saved.enumerated() where index < whole.renditions.count {
                if let file { whole.renditions[index].object["file"] = .string(file) }
            }
            try Output.json(whole.json)
        } else {
            try Output.lines(ResultText.text(result, saved: saved))
        }
    }
}
