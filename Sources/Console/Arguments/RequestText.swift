import TintypeCore
import TintypeImages

/// Makes the params of `image.load`, `image.submit` and `image.probe` from the command line.
enum RequestText {
    /// The request's parameters that are single values. Each becomes an option without further code.
    static let plain = ImageRequest.parameters.filter {
        $0.name != "url" && $0.name != "progress" && $0.name != "deliver" && $0.type.placeholder != nil
    }

    static let fetchOptions =
        plain.filter { parameter in ImageRequest.probeParameters.contains { $0.name == parameter.name } }.compactMap { Option($0) } + [
            Option("header", "'NAME: VALUE'", repeats: true, "Sends this header to the origin."),
            Option("describe", "NAME,NAME", "Adds properties of the source to the answer: \(PictureTrait.named.map(\.rawValue).joined(separator: ", "))."),
            Option("set", "PATH=JSON", repeats: true, "Sets any other member of the request, such as fetch.timeouts.total=5 (docs/protocol.md)."),
        ]

    static let pictureOptions: [Option] =
        [
            Option(
                "rendition", "'NAME:resize=320x320,fit=cover,format=webp'", repeats: true,
                "Describes one output, with the words of the options below. Repeat it for several outputs of one download."),
            Option("resize", "WxH", repeats: true, "Changes the size. Leave one side out (400x) to keep the proportions."),
            Option("crop", "WxH[+X+Y]", repeats: true, "Cuts a rectangle from the middle, or at X, Y."),
            Option("rotate", "DEGREES", repeats: true, "Rotates clockwise by any angle."),
            Option("flip", "horizontal|vertical|both", repeats: true, "Flips the image in one direction or both."),
            Option("autorotate", "true|false", "Rotates the image upright, as EXIF says. Default: true."),
        ] + operations + words + [Option("as", "image|bytes", "bytes returns the source without decoding it. Default: image."), cachePolicy]

    /// The operations that have no special form above: `--blur 3`, `--grayscale`.
    private static let operations: [Option] = OperationCatalog.descriptions.compactMap { operation in
        if ["resize", "crop", "rotate", "flip", "autorotate"].contains(operation.name) { return nil }
        let main = operation.parameters.first { $0.name == operation.main }
        return Option(RenditionText.word(operation), main?.placeholder, repeats: true, operation.summary)
    }

    /// The parameters of operations and of the output, each once: `--fit`, `--gravity`, `--format`, `--quality`…
    private static let words: [Option] = {
        var options: [Option] = []
        let taken = OperationCatalog.descriptions.map(RenditionText.word) + ["width", "height", "x", "y", "angle", "horizontal", "vertical", "enabled"]
        for parameter in OperationCatalog.descriptions.flatMap(\.parameters) + OutputOptions.parameters
        where !taken.contains(parameter.name) && !options.contains(where: { $0.name == parameter.name }) {
            if let option = Option(parameter, repeats: true) { options.append(option) }
        }
        return options
    }()

    private static let cachePolicy = Option(
        "cache", "default|reload|only|revalidate|refresh",
        "The cache policy: reload skips the caches; only never uses the network; revalidate asks the origin whether the source has changed.")

    /// Returns the params object for `url`.
    /// - Throws: `UsageError`.
    static func params(url: String, _ arguments: Arguments, pictures: Bool) throws(UsageError) -> JSONObject {
        var params: JSONObject = ["url": .string(url)]
        for parameter in plain {
            guard let option = Option(parameter), let text = arguments[option.name] else { continue }
            params[parameter.name] = parameter.type.value(text)
        }
        if pictures { try addPictures(arguments, to: &params) }
        var headers = JSONObject()
        for text in arguments.all("header") {
            guard let colon = text.firstIndex(of: ":"), colon > text.startIndex else { throw UsageError("--header takes 'NAME: VALUE'") }
            headers[String(text[..<colon])] = .string(String(text[text.index(after: colon)...].drop { $0 == " " }))
        }
        if !headers.isEmpty { params["fetch"] = ["headers": .object(headers)] }
        if let names = arguments["describe"] { params["describe"] = .array(names.split(separator: ",").map { .string(String($0)) }) }
        if let policy = arguments["cache"] { params["cache"] = ["policy": .string(policy)] }
        for text in arguments.all("set") { try set(text, in: &params) }
        return params
    }

    private static func addPictures(_ arguments: Arguments, to params: inout JSONObject) throws(UsageError) {
        var single = RenditionText()
        for (name, value) in arguments.options where isWord(name) { try single.add(name, value) }
        let texts = arguments.all("rendition")
        let json = try single.json()
        guard !texts.isEmpty else {
            params = params.merging(json)
            return
        }
        guard json.isEmpty else { throw UsageError("write every operation inside --rendition, or use no --rendition") }
        var renditions: [JSON] = []
        for (index, text) in texts.enumerated() {
            let (name, json) = try RenditionText.parse(text)
            let fallback = texts.count == 1 ? "default" : "\(index + 1)"
            renditions.append(.object(JSONObject([("name", .string(name ?? fallback))]).merging(json)))
        }
        params["renditions"] = .array(renditions)
    }

    private static func isWord(_ name: String) -> Bool {
        OperationCatalog.descriptions.contains { RenditionText.word($0) == name } || words.contains { $0.name == name }
    }

    /// Sets one member, such as `fetch.timeouts.total=5`. The value is parsed as JSON, and taken as text if it is not JSON.
    private static func set(_ text: String, in params: inout JSONObject) throws(UsageError) {
        let pair = text.split(separator: "=", maxSplits: 1).map(String.init)
        guard pair.count == 2 else { throw UsageError("--set takes PATH=JSON, such as fetch.timeouts.total=5, not \"\(text)\"") }
        let value = (try? JSON(parsing: Array(pair[1].utf8))) ?? .string(pair[1])
        params = placed(value, at: pair[0].split(separator: ".").map(String.init)[...], in: params)
    }

    private static func placed(_ value: JSON, at path: ArraySlice<String>, in object: JSONObject) -> JSONObject {
        guard let name = path.first else { return object }
        var object = object
        object[name] = path.count == 1 ? value : .object(placed(value, at: path.dropFirst(), in: object[name]?.object ?? JSONObject()))
        return object
    }
}
