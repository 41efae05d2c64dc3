import TintypeCore
import TintypeImages
import TestSupport
import Testing

@testable import Console

@Suite(.tags(.optimized), .timeLimit(.minutes(1))) struct RenditionTextTests {
    /// Options are written with hyphens, parameters are not.
    @Test func `every option of a picture is a word of a rendition`() {
        for option in RequestText.pictureOptions where !["rendition", "as", "cache"].contains(option.name) {
            var text = RenditionText()
            do throws(UsageError) { try text.add(option.name, "1") } catch {
                #expect(!"\(error)".contains("unknown word"), "--\(option.name): \(error)")
            }
        }
    }

    @Test(arguments: [
        (
            "thumb:resize=320x200,fit=cover,format=webp", "thumb",
            #"{"transform":[{"op":"resize","width":320,"height":200,"fit":"cover"}],"output":{"format":"webp"}}"#
        ),
        ("resize=400x", nil, #"{"transform":[{"op":"resize","width":400}]}"#),
        ("resize=x400,enlarge", nil, #"{"transform":[{"op":"resize","height":400,"enlarge":true}]}"#),
        ("fit=cover,resize=1x2", nil, #"{"transform":[{"op":"resize","width":1,"height":2,"fit":"cover"}]}"#),
        ("resize=9x9,rotate=90,fit=fill", nil, #"{"transform":[{"op":"resize","width":9,"height":9,"fit":"fill"},{"op":"rotate","angle":90}]}"#),
        (
            "crop=10x20+3+4,rotate=-90,flip=both", nil,
            #"{"transform":[{"op":"crop","width":10,"height":20,"x":3,"y":4},{"op":"rotate","angle":-90},{"op":"flip","horizontal":true,"vertical":true}]}"#
        ),
        ("crop=0.5x0.25,unit=fraction,gravity=top", nil, #"{"transform":[{"op":"crop","width":0.5,"height":0.25,"unit":"fraction","gravity":"top"}]}"#),
        ("background=red,quality=70,progressive", nil, #"{"output":{"background":"red","quality":70,"progressive":true}}"#),
        ("resize=1x1,background=red", nil, #"{"transform":[{"op":"resize","width":1,"height":1,"background":"red"}]}"#),
        (
            "grayscale,blur=3,sepia,roundCorners=20,rotate=12.5", nil,
            #"{"transform":[{"op":"grayscale"},{"op":"blur","sigma":3},{"op":"sepia"},{"op":"roundCorners","radius":20},{"op":"rotate","angle":12.5}]}"#
        ),
        ("flatten=red,background=blue", nil, #"{"transform":[{"op":"background","color":"red"}],"output":{"background":"blue"}}"#),
        (
            "extend,left=3,color=red,modulate,brightness=2", nil,
            #"{"transform":[{"op":"extend","left":3,"color":"red"},{"op":"modulate","brightness":2}]}"#
        ),
        ("resize=9x9,gravity=attention,dpr=2", nil, #"{"transform":[{"op":"resize","width":9,"height":9,"gravity":"attention","dpr":2}]}"#),
        ("bit-depth=10,max-bytes=900", nil, #"{"output":{"bitDepth":10,"maxBytes":900}}"#),
        ("autorotate=false", nil, #"{"transform":[{"op":"autorotate","enabled":false}]}"#),
    ]) func `words become the JSON of a rendition that is valid in a request`(text: String, name: String?, json: String) throws {
        let parsed = try RenditionText.parse(text)
        #expect(parsed.name == name)
        #expect(JSON.object(parsed.json) == (try JSON(parsing: Array(json.utf8))))
        let request = JSONObject([("url", "https://example.org/a")]).merging(parsed.json)
        #expect(throws: Never.self) { try ImageRequest(.object(request)) }
    }

    @Test(arguments: [
        ("sizes=3x3", "unknown word \"sizes\""), ("formt=webp", "did you mean format?"), ("resize=axb", "resize takes WIDTHxHEIGHT"),
        ("resize=x", "resize takes"), ("resize=1x2x3", "resize takes"), ("crop=10x20+3", "crop takes"), ("crop=10x20+-3+4", "crop takes"),
        ("rotate=left", "degrees clockwise"), ("blur=much", "a number"), ("invert=3", "takes no value"), ("tint", "a color"), ("mask=star", "circle"),
        ("flip=sideways", "horizontal, vertical or both"), ("fit=cover", "fit needs resize"),
        ("resize=1x1,fit=covr", "did you mean"), ("quality=101", "from 1 to 100"), ("format=exe", "expected"),
    ]) func `a wrong word is refused with a helpful message`(text: String, message: String) throws {
        let error = #expect(throws: UsageError.self) { _ = try RenditionText.parse(text) }
        #expect(error?.mistakes.joined().contains(message) == true, "\(String(describing: error))")
    }
}

@Suite(.timeLimit(.minutes(1))) struct ArgumentsTests {
    private func params(_ arguments: String...) throws -> JSON {
        let parsed = try Arguments(arguments, of: LoadCommand.command)
        return .object(try RequestText.params(url: parsed.words[0], parsed, pictures: true))
    }

    @Test func `options become a request whatever their order`() throws {
        let json = try params(
            "--fit", "cover", "--resize=40x30", "https://h/a", "--format", "webp", "--header", "Referer: x: y", "--priority", "high",
            "--deadline", "2.5", "--set", "fetch.timeouts.total=5", "--set", "userInfo={\"a\":[1]}", "--cache", "reload", "--detached")
        #expect(
            json == [
                "url": "https://h/a", "transform": [["op": "resize", "width": 40, "height": 30, "fit": "cover"]], "output": ["format": "webp"],
                "fetch": ["headers": ["Referer": "x: y"], "timeouts": ["total": 5]], "priority": "high", "deadline": 2.5, "userInfo": ["a": [1]],
                "cache": ["policy": "reload"], "detached": true,
            ])
        #expect(throws: Never.self) { try ImageRequest(json) }
    }

    @Test func `renditions keep their names, and unnamed ones get numbers`() throws {
        let json = try params("https://h/a", "--rendition", "thumb:resize=1x1", "--rendition", "format=png")
        #expect(json["renditions"]?.array?.map { $0["name"]?.string } == ["thumb", "2"])
        #expect(throws: UsageError.self) { try params("https://h/a", "--rendition", "format=png", "--resize", "1x1") }
    }

    @Test func `all mistakes are reported at once`() {
        let error = #expect(throws: UsageError.self) { try Arguments(["--resiez", "1x1", "--tag", "a", "--tag", "b", "-o"], of: LoadCommand.command) }
        #expect(error?.mistakes.count == 4)
        #expect(error?.mistakes.first == "unknown option --resiez; did you mean --resize?")
    }

    @Test(arguments: [["https://h/a", "--resiez", "1x1"], ["--resiez", "1x1", "https://h/a"], ["--resiez", "https://h/a"], ["--resiez=1x1", "https://h/a"]])
    func `the value of an unknown option is not a second mistake`(_ arguments: [String]) {
        let error = #expect(throws: UsageError.self) { try Arguments(arguments, of: LoadCommand.command) }
        #expect(error?.mistakes == ["unknown option --resiez; did you mean --resize?"])
    }

    @Test(arguments: [("--quiet", true), ("--quiet=true", true), ("--quiet=false", false), ("-q=false", false)])
    func `a switch is on or off`(option: String, isOn: Bool) throws {
        #expect(try Arguments(["u", option], of: LoadCommand.command).has("quiet") == isOn)
    }

    @Test(arguments: ["--quiet=1", "--quiet=yes", "--quiet=", "--detached=on"]) func `a switch refuses values other than true and false`(option: String) {
        let error = #expect(throws: UsageError.self) { try Arguments(["u", option], of: LoadCommand.command) }
        #expect(error?.mistakes.first?.contains("takes =true or =false") == true)
    }

    @Test(arguments: [("1", .int(1)), ("2.5", .double(2.5))] + ["inf", "-infinity", "nan", "1e999", "x"].map { ($0, .none) } as [(String, JSON?)])
    func `a number is finite`(text: String, number: JSON?) throws {
        #expect(JSON(number: text) == number)
        if number == nil {
            #expect(throws: UsageError.self) { try params("u", "--resize", "\(text)x10") }
            #expect(try params("u", "--deadline", text)["deadline"] == .string(text), "the coordinator says what is wrong with it")
        }
    }
}

@Suite(.timeLimit(.minutes(1))) struct DisplayTests {
    @Test func `the bar shows the phases of a load and never exceeds the terminal`() {
        var bar = ProgressBar()
        let events: [(JSON, String)] = [
            (["type": "queued", "position": 3], "queued: 3 before it"),
            (["type": "started", "worker": "w1", "attempt": 1], "started: by w1"),
            (["type": "response", "status": 200, "expectedBytes": 829_183], "download: 829 kB"),
            (["type": "progress", "phase": "download", "receivedBytes": 414_591, "expectedBytes": 829_183], "download: 414 kB of 829 kB"),
            (["type": "progress", "phase": "decode", "fraction": 0.5], "decode"),
            (["type": "retrying", "attempt": 1, "error": ["message": "no answer"]], "retrying: after no answer"),
        ]
        for (event, plain) in events {
            _ = bar.take(event)
            #expect(bar.plain == plain)
            for width in [1, 40, 80, 300] { #expect(bar.line(width: width).count < max(width, 21)) }
        }
        let isNews = bar.take(["type": "cached"])
        #expect(!isNews)
    }

    @Test func `half a download is half a bar`() {
        var bar = ProgressBar()
        _ = bar.take(["type": "progress", "phase": "download", "receivedBytes": 5, "expectedBytes": 10])
        #expect(bar.line(width: 80).contains("[###############···············]  50%"))
    }

    @Test(arguments: [(0, "0 B"), (999, "999 B"), (1500, "1.5 kB"), (829_183, "829 kB"), (1_048_576, "1.0 MB"), (104_857_600, "104 MB")])
    func `byte counts are formatted for people`(count: Int, text: String) {
        #expect(HumanNumber.bytes(count) == text)
    }

    @Test func `output names are filled in`() throws {
        let rendition: ImageResult.Rendition = ["name": "thumb", "format": "jpeg", "key": "abc"]
        #expect(try OutputName("out/%n-%k.%e", renditions: 3).path(for: rendition) == "out/thumb-abc.jpg")
        #expect(try OutputName("100%%.png", renditions: 1).path(for: rendition) == "100%.png")
        #expect(try OutputName("/tmp/", renditions: 2).path(for: rendition) == "/tmp/thumb.jpg")
        #expect(try OutputName("a.webp", renditions: 1).format == .webp)
        #expect(try OutputName("a.jpg", renditions: 1).format == .jpeg)
        #expect(try OutputName("webp", renditions: 1).format == nil)
        #expect(throws: UsageError.self) { try OutputName("a.png", renditions: 2) }
    }

    @Test func `a failure shows the error, the phase and details, but no secret`() {
        let error = TintypeError(.httpStatus, .download, "The origin answered 404.", details: ["status": 404, "url": "https://u:pw@h"])
        let text = FailureReport(ClientFailure.refused(error), command: "load").text
        #expect(text == "tintype load: The origin answered 404. (httpStatus 1010, download)")
    }

    @Test(arguments: [
        ("a\u{1b}[31mb", #"a\u001b[31mb"#), ("\u{9b}2J\u{7f}", #"\u009b2J\u007f"#), ("a\r\nb\tc", #"a\r\nb\tc"#), ("Größe 1 · 日本 🙂", "Größe 1 · 日本 🙂"),
        ("\u{0}", #"\u0000"#),
    ])
    func `control characters from outside are escaped on the terminal`(words: String, shown: String) {
        #expect(words.plain == shown)
        let error = TintypeError(.httpStatus, .download, "refused \(words)", details: ["body": .string("it said \(words)"), words: "x"])
        let text = FailureReport(ClientFailure.refused(error), command: "load").text
        var table = Table("a", "b")
        table.add(words, words)
        var bar = ProgressBar()
        _ = bar.take(["type": "retrying", "error": ["message": .string(words)]])
        let probed = ResultText.source(ImageResult.Source(json: ["url": "http://h/", "width": 1, "height": 1, "format": .string(words)]))
        for line in [text, table.text, bar.plain, bar.line(width: 300), probed] {
            #expect(line.contains(shown), "\(line)")
            #expect(!line.unicodeScalars.contains { $0.properties.generalCategory == .control && $0 != "\n" })
        }
        #expect(text.split(separator: "\n").count == 3 && table.text.split(separator: "\n").count == 2)
    }

    @Test func `the failures of all attempts are shown in one line`() {
        let error = TintypeError(
            .timeout, .download, "no byte arrived for 15.0 seconds",
            details: ["causes": [["name": "httpStatus", "status": 503], ["name": "timeout"]]])
        let text = FailureReport(ClientFailure.refused(error), command: "load").text
        #expect(text.split(separator: "\n")[1] == "  tried 2 times: httpStatus 503, timeout")
        let once = TintypeError(.denied, .download, "no", details: ["causes": [["name": "denied"]]])
        #expect(FailureReport(ClientFailure.refused(once), command: "load").text == "tintype load: no (denied 1002, download)")
    }
}
