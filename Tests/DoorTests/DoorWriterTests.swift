import Testing
import TintypeCore
import TintypeImages

@testable import ImgproxyURLs

/// From a request to the options of a picture URL, and back.
@Suite struct DoorWriterTests {
    /// Operations, the output, and their options, or `!` and a part of the refusal.
    private static let rows: [(transform: String, output: String, expected: String)] = [
        ("", "", "kcr:0"), ("", #""metadata":"copyright""#, ""), ("", #""metadata":"all""#, "sm:0"),
        (#"{"op":"resize","width":300}"#, "", "rs:fit:300:0/kcr:0"), (#"{"op":"resize","height":40,"fit":"cover"}"#, "", "rs:fit:0:40/kcr:0"),
        (#"{"op":"resize","width":30,"height":40,"fit":"cover","gravity":"attention"}"#, "", "rs:fill:30:40/g:sm/kcr:0"),
        (#"{"op":"resize","width":30,"height":40,"dpr":2,"fit":"fill","enlarge":true}"#, "", "rs:force:60:80:1/kcr:0"),
        (#"{"op":"resize","width":30,"height":40,"fit":"auto","gravity":{"x":0.25,"y":0.5}}"#, "", "rs:auto:30:40/g:fp:0.25:0.5/kcr:0"),
        (
            #"{"op":"resize","width":30,"height":40,"fit":"coverDown","gravity":{"place":"top","offsetY":8}}"#, "",
            "rs:fill-down:30:40/g:no:0:8/kcr:0"
        ),
        (#"{"op":"resize","scale":0.5,"kernel":"nearest"}"#, "", "rs:fit:0:0/z:0.5:0.5/ra:nearest/kcr:0"),
        (#"{"op":"resize","minWidth":30,"minHeight":20,"density":1}"#, "", "rs:fit:0:0/mw:30/mh:20/kcr:0"),
        (#"{"op":"resize","width":30,"minHeight":20,"density":1.5}"#, "", "rs:fit:30:0/mh:20/dpr:1.5/kcr:0"),
        (#"{"op":"resize","minWidth":30}"#, "", "!transform[0] (resize) has a value"),
        (#"{"op":"resize","width":30,"height":40,"fit":"fill"}"#, "", "!transform[0] (resize) has a value"),
        (#"{"op":"resize","width":30,"height":40,"fit":"contain"}"#, "", "!transform[0] (resize) has no option"),
        (#"{"op":"resize","width":30,"height":40,"fit":"cover","gravity":"entropy"}"#, "", "!transform[0] (resize) has no option"),
        (#"{"op":"resize","width":30,"linear":true}"#, "", "!transform[0] (resize) has a value"),
        (#"{"op":"resize","width":30,"kernel":"mitchell"}"#, "", "!transform[0] (resize) has a value"),
        (#"{"op":"autorotate","enabled":false}"#, "", "ar:0/kcr:0"), (#"{"op":"rotate","angle":-90}"#, "", "rot:270/kcr:0"),
        (#"{"op":"rotate","angle":20}"#, "", "!transform[0] (rotate) has no option"), (#"{"op":"flip","vertical":true}"#, "", "fl:0:1/kcr:0"),
        (#"{"op":"rotate","angle":90},{"op":"flip","horizontal":true}"#, "", "rot:90/fl:1:0/kcr:0"),
        (#"{"op":"flip","horizontal":true},{"op":"rotate","angle":90}"#, "", "!transform[1] (rotate) cannot stand behind"),
        (#"{"op":"crop","width":30,"height":40,"gravity":"bottomRight"}"#, "", "c:30:40:soea/kcr:0"),
        (#"{"op":"crop","width":0.5,"height":1,"unit":"fraction"}"#, "", "c:0.5:0:ce/kcr:0"),
        (#"{"op":"crop","x":0,"y":0,"width":30,"height":40}"#, "", "c:30:40:nowe/kcr:0"),
        (#"{"op":"crop","x":5,"y":0,"width":30,"height":40}"#, "", "!transform[0] (crop) has no option"),
        (#"{"op":"trim","threshold":20,"color":"white","symmetric":"both"}"#, "", "t:20:ffffff:1:1/kcr:0"),
        (#"{"op":"trim","color":"transparent"}"#, "", "t:10:ff00ff:0:0/kcr:0"), (#"{"op":"trim","margin":2}"#, "", "!transform[0] (trim) has a value"),
        (##"{"op":"background","color":"#11223380"}"##, "", "bg:112233/bga:0.5019607843137255/kcr:0"),
        (#"{"op":"modulate","contrast":1.5,"saturation":0.5}"#, "", "co:1.5/sa:0.5/kcr:0"),
        (#"{"op":"modulate","hue":10}"#, "", "!transform[0] (modulate) has a value"),
        (#"{"op":"duotone","shadow":"navy","highlight":"white"}"#, "", "dt:1:000080:ffffff/kcr:0"),
        (#"{"op":"duotone","amount":0.25}"#, "", "dt:0.25:000000:ffffff/kcr:0"),
        (##"{"op":"tint","color":"#ff800080","blend":"color"}"##, "", "mc:0.5019607843137255:ff8000/kcr:0"),
        (##"{"op":"tint","color":"#ff8000","blend":"normal"}"##, "", "col:1:ff8000:1/kcr:0"),
        (##"{"op":"tint","color":"#0a0a0a","blend":"plusLighter"}"##, "", "br:10/kcr:0"),
        (##"{"op":"tint","color":"#f5f5f5","blend":"plusDarker"}"##, "", "br:-10/kcr:0"),
        (##"{"op":"tint","color":"#0a0a0b","blend":"plusLighter"}"##, "", "!transform[0] (tint) has no option"),
        (#"{"op":"tint","color":"red"}"#, "", "!transform[0] (tint) has no option"),
        (#"{"op":"blur","sigma":2.5}"#, "", "bl:2.5/kcr:0"), (#"{"op":"blur","preset":"dark"}"#, "", "!transform[0] (blur) has no option"),
        (#"{"op":"sharpen"}"#, "", "sh:1/kcr:0"), (#"{"op":"sharpen","amount":2}"#, "", "!transform[0] (sharpen) has a value"),
        (#"{"op":"pixelate","size":12}"#, "", "pix:12/kcr:0"),
        (#"{"op":"resize","width":30,"height":40},{"op":"pad","width":30,"height":40}"#, "", "rs:fit:30:40/ex:1:ce/kcr:0"),
        (#"{"op":"resize","width":30,"height":20},{"op":"pad","aspect":1.5,"gravity":"left"}"#, "", "rs:fit:30:20/exar:1:we/kcr:0"),
        (#"{"op":"pad","width":30}"#, "", "!transform[0] (pad) has a value"),
        (#"{"op":"extend","top":1,"right":2,"bottom":3,"left":4}"#, "", "pd:1:2:3:4/kcr:0"),
        (#"{"op":"background","color":"red"},{"op":"extend","top":1,"color":"red"}"#, "", "bg:ff0000/pd:1:0:0:0/kcr:0"),
        (#"{"op":"extend","top":1,"color":"red"}"#, "", "!transform[0] (extend) has a value"),
        (#"{"op":"inset","top":1}"#, "", "!transform[0] (extend) has a value"),
        (
            #"{"op":"composite","url":"http://x/y","opacity":0.5,"gravity":{"place":"bottomRight","offsetX":4,"offsetY":5},"scale":0.25}"#, "",
            "wmu:aHR0cDovL3gveQ/wm:0.5:soea:4:5:0.25/kcr:0"
        ),
        (#"{"op":"composite","url":"http://x/y","tile":{"gapX":7}}"#, "", "wmu:aHR0cDovL3gveQ/wm:1:re:7:0/kcr:0"),
        (#"{"op":"composite","url":"http://x/y","blend":"multiply"}"#, "", "!transform[0] (composite) has a value"),
        (#"{"op":"composite","url":"color:102030ff,64x64","opacity":0.5,"tile":true}"#, "", "col:0.5:102030/kcr:0"),
        (#"{"op":"text","text":"Ada","size":16}"#, "", "wmt:QWRh/wm:1:ce:0:0/kcr:0"),
        (#"{"op":"text","text":"Ada","size":16,"angle":-45}"#, "", "wmt:QWRh/wm:1:ce:0:0/wmr:315/kcr:0"),
        (#"{"op":"text","text":"Ada","size":20}"#, "", "!transform[0] (text) has a value"),
        (#"{"op":"sepia"}"#, "", "!transform[0] (sepia) has no option"),
        (#"{"op":"resize","width":30},{"op":"blur","sigma":1}"#, "", "rs:fit:30:0/bl:1/kcr:0"),
        (#"{"op":"blur","sigma":1},{"op":"resize","width":30}"#, "", "!transform[1] (resize) cannot stand behind"),
        (#"{"op":"resize","width":30},{"op":"resize","width":20}"#, "", "!transform[1] (resize) cannot stand behind"),
        ("", #""format":"webp","quality":80,"metadata":"copyright""#, "q:80 .webp"), ("", #""format":"heif","metadata":"copyright""#, " .heic"),
        ("", #""format":"jpeg","progressive":true,"subsampling":"4:4:4""#, "jpgo:1:1/kcr:0 .jpeg"),
        ("", #""format":"png","palette":true"#, "pngo::1/kcr:0 .png"),
        ("", #""qualities":{"webp":70,"jpeg":60}"#, "fq:jpeg:60:webp:70/kcr:0"), ("", #""maxBytes":5000"#, "mb:5000/kcr:0"),
        ("", #""icc":"keep""#, "kcr:0/scp:0"), ("", #""keep":["gif","png"]"#, "skp:gif:png/kcr:0"),
        ("", #""format":"auto""#, "!output.format, output.accept has a value"), ("", #""quality":"auto""#, "aq:dssim:0.01/kcr:0"),
        ("", #""quality":"auto","likeness":0.95"#, "aq:dssim:0.025/kcr:0"), ("", #""format":"avif","maxBytes":5000"#, "aq:size:5000/kcr:0 .avif"),
        ("", #""format":"avif","quality":"auto","maxBytes":5000"#, "!output.quality has a value"),
        ("", #""format":"webp","lossless":true"#, "webpo:lossless/kcr:0 .webp"), ("", #""format":"jxl","lossless":true"#, "!output.lossless has a value"),
        ("", #""format":"avif","subsampling":"4:4:4""#, "avifo:off/kcr:0 .avif"),
        ("", #""format":"png","progressive":true,"palette":true"#, "pngo:1:1/kcr:0 .png"),
        ("", #""format":"png","progressive":true"#, "pngo:1:0/kcr:0 .png"),
        ("", #""format":"webp","lossless":true,"effort":9"#, "!output.effort has a value"),
        ("", #""progressive":true"#, "!output: jpeg_options is not supported"),
    ]

    private static func request(_ transform: String, _ output: String) throws -> ImageRequest {
        try ImageRequest(JSON(parsing: Array(#"{"url":"https://example.org/a%20b.jpg?c=d&e=f","transform":[\#(transform)],"output":{\#(output)}}"#.utf8)))
    }

    @Test(arguments: rows) func `a request becomes options, or a refusal that names the part`(row: (transform: String, output: String, expected: String)) throws
    {
        let rendition = try Self.request(row.transform, row.output).renditions[0]
        do throws(DoorRefusal) {
            let writer = try DoorWriter(rendition)
            let words = writer.options.joined(separator: "/") + (writer.fileExtension.map { " ." + $0 } ?? "")
            #expect(words == row.expected)
        } catch {
            #expect(row.expected.hasPrefix("!") && error.message.hasPrefix(row.expected.dropFirst()), "\(error.message)")
            #expect(error.reason == .notSupported && error.error.name == .invalidParams)
        }
    }

    @Test(arguments: rows.filter { !$0.expected.hasPrefix("!") })
    func `a door that signs a URL reads the same picture from it`(row: (transform: String, output: String, expected: String)) throws {
        let pair = try #require(URLSignature.Pair(key: "736563726574", salt: "68656C6C6F"))
        let door = PictureDoor(URLSignature(pairs: [pair]))
        let request = try Self.request(row.transform, row.output)
        let shown = try door.plan(Array(try door.path(to: request, now: 5).utf8), now: 5).imageRequest()
        #expect(shown.renditions[0].canonical == request.renditions[0].canonical && shown.source.digest == request.source.digest)
    }

    @Test func `every picture of the table of options that needs no preset and no decoder is written again`() throws {
        var (written, refused) = (0, Set<String>())
        for row in PictureOptionTests.rows where !row.isRefused {
            let plan = try PictureOptionTests.plan(of: row)
            let rendition = try plan.imageRequest().renditions[0]
            guard rendition.mode == .image, rendition.canonical["decode"] == nil, rendition.output.accepted == nil else { continue }
            do {
                _ = try DoorWriter(rendition)
                written += 1
            } catch {
                refused.insert(row.options)
            }
        }
        // These options make operations that no option says alone.
        let unwritten = ["max_", "mrd:", "msfs:", "car:", "crop_a"]
        #expect(written > 200 && refused.allSatisfy { row in unwritten.contains { row.contains($0) } }, "\(written) \(refused.sorted())")
    }

    @Test func `a URL is not written for a picture that the door would change or refuse`() throws {
        let request = try Self.request(#"{"op":"resize","width":30}"#, "")
        func refusal(_ presets: String, onlyPresets: Bool = false, _ request: ImageRequest = request) throws -> DoorRefusal {
            var policy = DoorPolicy()
            (policy.presets, policy.allowsOnlyPresets) = (try PicturePresets(text: presets), onlyPresets)
            let door = PictureDoor(URLSignature(pairs: [], unsigned: .named), policy)
            return try #require(throws: DoorRefusal.self) { try door.path(to: request, now: 5) }
        }
        #expect(try refusal("default=bl:3").message.contains("preset default"))
        #expect(try refusal("default=msfs:9").message.contains("preset default"))
        #expect(try refusal("", onlyPresets: true).reason == .notAllowed)
        #expect(try refusal("", ImageRequest(["url": .string("upload:" + String(repeating: "0123456789abcdef", count: 3))])).reason == .notAllowed)
    }

    @Test func `without a pair of keys the path says that nobody has signed it`() throws {
        let door = PictureDoor(URLSignature(pairs: [], unsigned: .named))
        #expect(try door.path(to: try Self.request("", #""metadata":"copyright""#), now: 5) == "/unsafe/aHR0cHM6Ly9leGFtcGxlLm9yZy9hJTIwYi5qcGc_Yz1kJmU9Zg")
    }
}
