import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

@Suite(.tags(.optimized), .timeLimit(.minutes(1))) struct ImageRequestTests {
    /// The keys of a request with the members in `text` beside its URL.
    func keys(_ text: String, url: String = "http://h/a.jpg") throws -> (source: String, renditions: [String], fingerprint: String) {
        var object = try #require(try JSON(parsing: text).object)
        if object["url"] == nil { object["url"] = .string(url) }
        let request = try ImageRequest(.object(object))
        let source = request.source.digest
        return (source, request.renditions.map { $0.digest(source: source) }, request.fingerprint)
    }

    /// Different spellings of the same work.
    @Test(arguments: [
        ("a.test", "a.test"), ("A.Test.", "a.test"), ("%61.test", "a.test"), ("u:p@a.test:81", "a.test"), ("127.0.0.1", "127.0.0.1"),
        ("0x7f.1:81", "127.0.0.1"), ("2130706433", "127.0.0.1"), ("127.1", "127.0.0.1"), ("0x7f.1.", "127.0.0.1"), ("a.test..", "a.test"), ("[::1]:81", "::1"),
        ("[0:0::1]", "::1"),
        ("a_b-1.test1", "a_b-1.test1"),
        ("1.test", "1.test"),
    ])
    func `hosts count in the form that is connected to`(place: String, host: String) throws {
        #expect(try WebAddress("http://\(place)/x").host == host)
    }

    @Test(arguments: [
        "http://müller.example/", "http://u:p@müller.example:81/", "HTTPS://ａ.test", "http://a.test/ü", "http://a.test/?ä", "http://a.test/#\u{200d}",
        "http://a.test/\u{301}@b.test/", "http://u:p@\u{301}a.test/",
    ])
    func `a URL outside ASCII is refused at admission in every member, with the way to write it`(url: String) throws {
        for request: JSON in [
            ["url": .string(url)], ["urls": ["http://a.test/", .string(url)]], ["url": "http://a.test/", "fallback": ["url": .string(url)]],
            ["url": "http://a.test/", "transform": [["op": "composite", "url": .string(url)]]],
            ["url": "http://a.test/", "transform": [["op": "animate", "urls": [.string(url)]]]],
        ] {
            let error = try #require(throws: TintypeError.self) { try ImageRequest(request) }
            #expect(error.name == .invalidURL && error.phase == .admission && error.message.contains("xn--"), "\(error)")
            #expect(!error.json.text.contains("u:p"))
        }
        #expect(!CallbackTarget.accepts(url))
        #expect(throws: Never.self) { try ImageRequest(["url": "http://xn--mller-kva.example/%C3%BC?%C3%A4"]) }
        #expect(throws: Never.self) { try ImageRequest(["url": "data:text/plain,ü"]) }
    }

    @Test(arguments: [
        ("{}", #"{"transform":[],"output":{}}"#), ("{}", #"{"renditions":[{}]}"#), ("{}", #"{"output":{"format":"original"},"decode":{"frames":"all"}}"#),
        ("{}", #"{"transform":[{"op":"rotate","angle":0},{"op":"flip"},{"op":"autorotate"}]}"#), ("{}", #"{"transform":[{"op":"rotate","angle":720}]}"#),
        (#"{"transform":[{"op":"rotate","angle":-90}]}"#, #"{"transform":[{"op":"rotate","angle":270}]}"#),
        (#"{"transform":[{"op":"resize","width":100}]}"#, #"{"transform":[{"width":1e2,"op":"resize","fit":"cover","gravity":"top","enlarge":false}]}"#),
        (
            #"{"transform":[{"op":"resize","width":9,"height":9}]}"#,
            ##"{"transform":[{"op":"resize","width":9,"height":9,"fit":"inside","background":"#123","gravity":"left"}]}"##
        ),
        (
            ##"{"transform":[{"op":"resize","width":9,"height":9,"fit":"contain","background":"#F00"}]}"##,
            #"{"transform":[{"op":"resize","width":9,"height":9,"fit":"contain","background":"red"}]}"#
        ),
        (
            #"{"transform":[{"op":"crop","width":0.5,"height":0.5,"unit":"fraction"}]}"#,
            #"{"transform":[{"op":"crop","width":5e-1,"height":0.50,"unit":"fraction","gravity":"center"}]}"#
        ),
        (#"{"transform":[{"op":"crop","x":4,"width":5,"height":5}]}"#, #"{"transform":[{"op":"crop","x":4.0,"y":0,"unit":"px","width":5,"height":5}]}"#),
        (#"{"transform":[{"op":"resize","width":100,"dpr":2}]}"#, #"{"transform":[{"op":"resize","width":200,"kernel":"lanczos3","linear":false}]}"#),
        (
            #"{"transform":[{"op":"resize","width":9,"fit":"none","enlarge":true,"kernel":"cubic"}]}"#,
            #"{"transform":[{"op":"resize","width":9,"fit":"none"}]}"#
        ),
        (
            #"{"transform":[{"op":"blur","preset":"soft"}]}"#,
            ##"{"transform":[{"op":"blur","radius":60,"saturation":1.8,"tint":"#d6d6d65c","blend":"normal"}]}"##
        ),
        (#"{"transform":[{"op":"extend","left":3,"top":-2}]}"#, #"{"transform":[{"op":"inset","left":-3,"top":2,"color":"transparent"}]}"#),
        (#"{"transform":[{"op":"border","width":3}]}"#, #"{"transform":[{"op":"roundCorners","radius":0,"border":{"width":3,"color":"black"}}]}"#),
        (
            #"{"transform":[{"op":"roundCorners","radius":3,"corners":["topLeft","bottomLeft"]}]}"#,
            #"{"transform":[{"op":"roundCorners","radius":3.0,"corners":["bottomLeft","topLeft","topLeft"]}]}"#
        ),
        (#"{"transform":[{"op":"rotate","angle":45}]}"#, #"{"transform":[{"op":"rotate","angle":-315,"expand":true,"background":"transparent"}]}"#),
        (#"{"transform":[{"op":"modulate","hue":400}]}"#, #"{"transform":[{"op":"modulate","hue":40,"brightness":1}]}"#),
        (#"{"transform":[{"op":"tint","color":"red"}]}"#, ##"{"transform":[{"op":"tint","color":"#f00","blend":"sourceIn"}]}"##),
        (#"{"transform":[{"op":"background"}]}"#, ##"{"transform":[{"op":"background","color":"#fff"}]}"##),
        (
            "{}",
            #"{"transform":[{"op":"modulate"},{"op":"sepia","amount":0},{"op":"sharpen","amount":0},{"op":"frames"},{"op":"pixelate","size":1},{"op":"extend"},{"op":"blur","radius":0}]}"#
        ),
        (#"{"output":{"format":"jpeg"}}"#, ##"{"output":{"format":"jpeg","quality":80,"lossless":true,"effort":3,"background":"#ffffff"}}"##),
        (#"{"output":{"format":"webp"}}"#, #"{"output":{"format":"webp","quality":80,"progressive":true,"effort":4,"background":"red"}}"#),
        (#"{"output":{"format":"png"}}"#, #"{"output":{"format":"png","quality":10,"lossless":true,"effort":6}}"#),
        (
            #"{"transform":[{"op":"flip","horizontal":true},{"op":"autorotate","enabled":false}]}"#,
            #"{"transform":[{"op":"autorotate","enabled":false},{"op":"flip","horizontal":true,"vertical":false}]}"#
        ),
        (#"{"output":{"format":"webp","effort":6}}"#, #"{"output":{"format":"webp","effort":9}}"#),
        (#"{"output":{"format":"jpeg","quality":"auto"}}"#, #"{"output":{"format":"jpeg","quality":"auto","likeness":0.98,"lossless":true}}"#),
        (#"{"output":{"format":"jpeg"}}"#, #"{"output":{"format":"jpeg","likeness":0.9}}"#),
        (#"{"output":{"format":"webp","lossless":true}}"#, #"{"output":{"format":"webp","lossless":true,"quality":"auto","likeness":0.9}}"#),
        (#"{"output":{"format":"gif"}}"#, #"{"output":{"format":"gif","quality":"auto"}}"#),
        (#"{"output":{"format":"jxl"}}"#, #"{"output":{"format":"jxl","quality":"auto"}}"#),
        (#"{"output":{"format":"gif","effort":0}}"#, #"{"output":{"format":"gif","effort":1}}"#),
        (#"{"output":{"format":"jxl","effort":0}}"#, #"{"output":{"format":"jxl","effort":3}}"#),
        (#"{"output":{"format":"avif","lossless":true}}"#, #"{"output":{"format":"avif","lossless":true,"quality":9,"subsampling":"4:4:4"}}"#),
        (#"{"output":{"format":"heif","lossless":true}}"#, #"{"output":{"format":"heif","lossless":true,"quality":9,"subsampling":"4:4:4"}}"#),
        (#"{"output":{"format":"jxl","lossless":true}}"#, #"{"output":{"format":"jxl","lossless":true,"quality":9}}"#),
        (#"{"output":{"format":"jpeg"}}"#, #"{"output":{"format":"jpeg","background":"transparent"}}"#),
        (##"{"output":{"format":"jpeg","background":"#ff7f7f"}}"##, ##"{"output":{"format":"jpeg","background":"#ff000080"}}"##),
        (##"{"transform":[{"op":"trim","color":"#123456"}]}"##, ##"{"transform":[{"op":"trim","color":"#12345680"}]}"##),
        (#"{"transform":[{"op":"trim","color":"transparent"}]}"#, ##"{"transform":[{"op":"trim","color":"#12345600"}]}"##),
        (
            #"{"transform":[{"op":"resize","width":9,"kernel":"nearest"}]}"#,
            #"{"transform":[{"op":"resize","width":9,"kernel":"nearest","linear":true}]}"#
        ),
        (#"{"transform":[{"op":"frames","pick":[2,0,1]}]}"#, #"{"transform":[{"op":"frames","pick":[1,0,2],"reverse":true}]}"#),
        (#"{"transform":[{"op":"frames","pick":[2]}]}"#, #"{"transform":[{"op":"frames","pick":[2],"reverse":true,"speed":3}]}"#),
        (#"{"transform":[{"op":"frames","first":1}]}"#, #"{"transform":[{"op":"frames","first":1,"reverse":true,"speed":3}]}"#),
        (#"{"transform":[{"op":"frames","first":1}]}"#, #"{"transform":[{"op":"frames","pick":[0]}]}"#),
        (#"{"transform":[{"op":"rotate","angle":180}]}"#, #"{"transform":[{"op":"flip","horizontal":true,"vertical":true}]}"#),
        (#"{"transform":[{"op":"crop","width":9,"height":8,"gravity":"topLeft"}]}"#, #"{"transform":[{"op":"crop","x":0,"y":0,"width":9,"height":8}]}"#),
        (
            #"{"transform":[{"op":"crop","width":0.5,"height":1,"unit":"fraction","gravity":{"x":0,"y":0}}]}"#,
            #"{"transform":[{"op":"crop","x":0,"width":0.5,"height":1,"unit":"fraction"}]}"#
        ),
        (
            #"{"transform":[{"op":"crop","width":9,"height":8,"gravity":"bottomRight"}]}"#,
            #"{"transform":[{"op":"crop","width":9,"height":8,"gravity":{"x":1,"y":1}}]}"#
        ),
        (
            #"{"transform":[{"op":"resize","width":9,"height":8,"fit":"cover","gravity":"topRight"}]}"#,
            #"{"transform":[{"op":"resize","width":9,"height":8,"fit":"cover","gravity":{"x":1,"y":0}}]}"#
        ),
        (
            #"{"transform":[{"op":"resize","width":9,"height":8,"fit":"none","gravity":"bottomLeft"}]}"#,
            #"{"transform":[{"op":"resize","width":9,"height":8,"fit":"none","gravity":{"x":0,"y":1}}]}"#
        ),
        (
            #"{"transform":[{"op":"resize","width":9,"height":8,"fit":"contain"}]}"#,
            #"{"transform":[{"op":"resize","width":9,"height":8,"fit":"contain","gravity":{"x":0.5,"y":0.5}}]}"#
        ),
        (
            #"{"transform":[{"op":"animate","columns":1}],"output":{"format":"png"}}"#,
            #"{"transform":[{"op":"animate","columns":1,"rows":1,"delay":50,"loop":3}],"output":{"format":"png"}}"#
        ),
        (
            #"{"transform":[{"op":"composite","url":"HTTP://B.test:80/x#p"}]}"#,
            #"{"transform":[{"op":"composite","url":"http://b.test/x"}]}"#
        ),
        (#"{"transform":[{"op":"mask","url":"http://b.test"}]}"#, #"{"transform":[{"op":"mask","url":"http://B.test/"}]}"#),
        (
            #"{"transform":[{"op":"blur","sigma":2,"mask":"https://b.test:443/x"}]}"#,
            #"{"transform":[{"op":"blur","sigma":2,"mask":"https://b.test/x"}]}"#
        ),
        (
            #"{"transform":[{"op":"animate","urls":["http://b.test/x#1","http://b.test/y"]}]}"#,
            #"{"transform":[{"op":"animate","urls":["http://B.test/x","http://b.test:80/y"]}]}"#
        ),
        ("{}", #"{"transform":[{"op":"crop","width":1,"height":1,"unit":"fraction"}]}"#),
        ("{}", #"{"transform":[{"op":"crop","x":0,"width":1,"height":1,"unit":"fraction"}]}"#),
        ("{}", #"{"transform":[{"op":"crop","width":1,"height":1,"unit":"fraction","gravity":"attention"}]}"#),
        (
            #"{"transform":[{"op":"composite","url":"http://h/b","x":0,"y":0}]}"#,
            #"{"transform":[{"op":"composite","url":"http://h/b","gravity":"topLeft"}]}"#
        ),
        (#"{"transform":[{"op":"blur","radius":60}]}"#, #"{"transform":[{"op":"blur","radius":60.5}]}"#),
        ("{}", #"{"transform":[{"op":"resize","scale":1}]}"#), ("{}", #"{"transform":[{"op":"resize","scale":{"width":1,"height":1},"enlarge":true}]}"#),
        (#"{"transform":[{"op":"resize","scale":2}]}"#, #"{"transform":[{"op":"resize","scale":{"width":2,"height":2},"fit":"cover"}]}"#),
        (#"{"transform":[{"op":"resize","minWidth":8}]}"#, #"{"transform":[{"op":"resize","minWidth":4,"dpr":2,"fit":"outside"}]}"#),
        (#"{"transform":[{"op":"resize","width":9}]}"#, #"{"transform":[{"op":"resize","width":9,"fit":"coverDown","gravity":"top"}]}"#),
        (#"{"transform":[{"op":"resize","width":9}]}"#, #"{"transform":[{"op":"resize","width":9,"fit":"outside"}]}"#),
        (
            #"{"transform":[{"op":"crop","width":9,"height":9,"gravity":"top"}]}"#,
            #"{"transform":[{"op":"crop","width":9,"height":9,"gravity":{"place":"top","offsetX":0,"offsetY":0}}]}"#
        ),
        (
            #"{"transform":[{"op":"crop","width":9,"height":9,"gravity":{"place":"top","offsetX":2,"offsetY":0}}]}"#,
            #"{"transform":[{"op":"crop","width":9,"height":9,"gravity":{"place":"top","offsetX":1.6}}]}"#
        ),
        (#"{"output":{"format":"webp","quality":70}}"#, #"{"output":{"format":"webp","qualities":{"webp":70,"avif":9}}}"#),
        (#"{"output":{"quality":70}}"#, #"{"output":{"quality":70,"qualities":{"webp":7}}}"#),
        (#"{"output":{"format":"png"}}"#, #"{"output":{"format":"png","qualities":{"webp":7}}}"#),
        (#"{"output":{"keep":["gif","png"]}}"#, #"{"output":{"keep":["png","gif","gif"]}}"#),
        (#"{"output":{"format":"png"}}"#, #"{"output":{"format":"png","keep":["gif"]}}"#),
        (#"{"output":{"qualities":{"avif":7,"webp":8}}}"#, #"{"output":{"qualities":{"webp":8,"avif":7}}}"#),
        (#"{"transform":[{"op":"blur","radius":0.1}]}"#, #"{"transform":[{"op":"blur","radius":0.4}]}"#),
        ("{}", #"{"decode":{"page":0}}"#), ("{}", #"{"decode":{"limitBytes":2000000000}}"#), ("{}", #"{"output":{"maxBytes":1073741824}}"#),
        (#"{"decode":{"failOn":"truncated","speed":"balanced"}}"#, #"{"renditions":[{"name":"other"}]}"#),
        ("{}", #"{"priority":"high","deadline":5,"tag":"x","queue":"q","deliver":"none","progress":true,"receipt":"r","cache":{"policy":"reload"}}"#),
        ("{}", #"{"fetch":{"timeouts":{"total":5},"retry":{"attempts":1}}}"#),
        ("{}", #"{"fetch":{"method":"GET","acceptableStatus":["200-299"],"maxBytes":67108864,"params":{},"body":null,"acceptableTypes":null}}"#),
        (#"{"fetch":{"params":{"a":"1 2","b":[1,true]}}}"#, #"{"url":"http://h/a.jpg?a=1%202&b=1&b=true"}"#),
    ])
    func `Two spellings of the same work share one key`(one: String, other: String) throws {
        #expect(try keys(one).renditions == keys(other).renditions)
        #expect(try keys(one).source == keys(other).source)
    }

    private static let different = [
        "{}",
        #"{"transform":[{"op":"flip","horizontal":true}]}"#, #"{"transform":[{"op":"flip","vertical":true}]}"#,
        #"{"transform":[{"op":"rotate","angle":90}]}"#, #"{"transform":[{"op":"rotate","angle":180}]}"#,
        #"{"transform":[{"op":"autorotate","enabled":false}]}"#,
        #"{"transform":[{"op":"resize","width":9}]}"#, #"{"transform":[{"op":"resize","height":9}]}"#,
        #"{"transform":[{"op":"resize","width":9,"enlarge":true}]}"#,
        #"{"transform":[{"op":"resize","width":9,"height":9}]}"#, #"{"transform":[{"op":"resize","width":9,"height":9,"fit":"cover"}]}"#,
        #"{"transform":[{"op":"resize","width":9,"height":9,"fit":"cover","gravity":"top"}]}"#,
        #"{"transform":[{"op":"resize","width":9,"height":9,"fit":"contain"}]}"#,
        #"{"transform":[{"op":"resize","width":9,"height":9,"fit":"contain","background":"red"}]}"#,
        #"{"transform":[{"op":"resize","width":9,"height":9,"fit":"fill"}]}"#,
        #"{"transform":[{"op":"resize","width":9,"height":9,"fit":"coverDown"}]}"#, #"{"transform":[{"op":"resize","width":9,"height":9,"fit":"auto"}]}"#,
        #"{"transform":[{"op":"resize","width":9,"height":9,"fit":"auto","gravity":"top"}]}"#, #"{"transform":[{"op":"resize","minWidth":9}]}"#,
        #"{"transform":[{"op":"resize","minHeight":9}]}"#, #"{"transform":[{"op":"resize","width":9,"minHeight":9}]}"#,
        #"{"transform":[{"op":"resize","width":9,"minHeight":9,"fit":"outside"}]}"#,
        #"{"transform":[{"op":"resize","width":9,"minHeight":9,"gravity":"left"}]}"#,
        #"{"transform":[{"op":"resize","scale":2}]}"#, #"{"transform":[{"op":"resize","scale":{"width":2,"height":1}}]}"#,
        #"{"transform":[{"op":"crop","width":1}]}"#,
        #"{"transform":[{"op":"crop","height":1}]}"#, #"{"transform":[{"op":"crop","width":1,"height":1,"gravity":{"place":"top","offsetY":1}}]}"#,
        #"{"transform":[{"op":"crop","width":1,"height":1,"gravity":{"place":"top","offsetY":0.5}}]}"#, #"{"transform":[{"op":"trim","symmetric":"both"}]}"#,
        #"{"transform":[{"op":"trim","symmetric":"vertical"}]}"#, #"{"decode":{"maxPixels":5}}"#, #"{"decode":{"maxFramePixels":5}}"#,
        #"{"decode":{"thumbnail":true}}"#,
        #"{"output":{"keep":["gif"]}}"#, #"{"output":{"format":"gif"}}"#, #"{"output":{"format":"gif","keep":["gif"]}}"#,
        #"{"output":{"qualities":{"webp":8}}}"#, #"{"output":{"qualities":{"webp":8,"avif":7}}}"#,
        #"{"transform":[{"op":"rotate","angle":90},{"op":"flip","horizontal":true}]}"#,
        #"{"transform":[{"op":"flip","horizontal":true},{"op":"rotate","angle":90}]}"#,
        #"{"transform":[{"op":"rotate","angle":1}]}"#, #"{"transform":[{"op":"rotate","angle":90,"expand":false}]}"#,
        #"{"transform":[{"op":"rotate","angle":1,"expand":false}]}"#, #"{"transform":[{"op":"rotate","angle":1,"background":"red"}]}"#,
        #"{"transform":[{"op":"grayscale"}]}"#, #"{"transform":[{"op":"invert"}]}"#, #"{"transform":[{"op":"sepia"}]}"#, #"{"transform":[{"op":"trim"}]}"#,
        #"{"transform":[{"op":"blur","sigma":2}]}"#, #"{"transform":[{"op":"blur","radius":2}]}"#, #"{"transform":[{"op":"blur","preset":"soft"}]}"#,
        #"{"transform":[{"op":"blur","preset":"light"}]}"#, #"{"transform":[{"op":"blur","preset":"soft","radius":5}]}"#,
        #"{"transform":[{"op":"tint","color":"red"}]}"#, #"{"transform":[{"op":"tint","color":"red","blend":"normal"}]}"#,
        #"{"transform":[{"op":"extend","left":1}]}"#, #"{"transform":[{"op":"inset","left":1}]}"#, #"{"transform":[{"op":"pad","aspect":1}]}"#,
        #"{"transform":[{"op":"roundCorners","radius":1}]}"#, #"{"transform":[{"op":"border","width":1}]}"#,
        #"{"transform":[{"op":"roundCorners","radius":1,"border":{"width":1}}]}"#, #"{"transform":[{"op":"mask","shape":"circle"}]}"#,
        #"{"transform":[{"op":"frames","first":1}]}"#, #"{"transform":[{"op":"frames","pick":[1]}]}"#, #"{"transform":[{"op":"frames","reverse":true}]}"#,
        #"{"transform":[{"op":"frames","pick":[0,1]}]}"#, #"{"transform":[{"op":"crop","width":1,"height":1,"gravity":"topRight"}]}"#,
        #"{"transform":[{"op":"crop","width":1,"height":1,"gravity":{"x":0.5,"y":0}}]}"#, #"{"transform":[{"op":"animate","columns":2,"delay":50}]}"#,
        #"{"transform":[{"op":"animate","columns":1},{"op":"frames","pick":[0,0]}]}"#,
        #"{"transform":[{"op":"animate","columns":1,"delay":50},{"op":"frames","pick":[0,0]}]}"#,
        #"{"transform":[{"op":"animate","columns":1,"loop":3},{"op":"frames","pick":[0,0]}]}"#,
        #"{"transform":[{"op":"frames","first":1},{"op":"frames","pick":[0,0]}]}"#,
        #"{"transform":[{"op":"frames","first":1,"speed":3},{"op":"frames","pick":[0,0]}]}"#,
        #"{"transform":[{"op":"animate","columns":2,"loop":3}]}"#, #"{"transform":[{"op":"composite","url":"http://h/B"}]}"#,
        #"{"transform":[{"op":"composite","url":"data:,http://h/b"}]}"#, #"{"transform":[{"op":"animate","urls":["http://h/b","http://h/c"]}]}"#,
        #"{"transform":[{"op":"animate","urls":["http://h/c","http://h/b"]}]}"#,
        #"{"transform":[{"op":"resize","width":9,"linear":true}]}"#, #"{"transform":[{"op":"resize","width":9,"kernel":"cubic"}]}"#,
        #"{"transform":[{"op":"resize","width":9,"fit":"none"}]}"#,
        #"{"transform":[{"op":"resize","width":9,"height":9,"fit":"cover","gravity":"attention"}]}"#,
        #"{"transform":[{"op":"resize","width":9,"height":9,"fit":"cover","gravity":{"x":0.5,"y":0.4}}]}"#,
        #"{"transform":[{"op":"crop","width":1,"height":1}]}"#, #"{"transform":[{"op":"crop","width":1,"height":0.5,"unit":"fraction"}]}"#,
        #"{"transform":[{"op":"crop","x":0.5,"width":1,"height":1,"unit":"fraction"}]}"#, #"{"decode":{"page":1}}"#,
        #"{"output":{"format":"webp","lossless":true,"quality":9}}"#, #"{"output":{"format":"avif","lossless":true}}"#, #"{"output":{"effort":9}}"#,
        #"{"transform":[{"op":"blur","radius":0.1}]}"#, #"{"transform":[{"op":"blur","radius":1}]}"#, #"{"transform":[{"op":"blur","radius":60}]}"#,
        #"{"transform":[{"op":"trim","color":"black"}]}"#, #"{"transform":[{"op":"trim","color":"transparent"}]}"#,
        #"{"transform":[{"op":"frames","first":2,"reverse":true}]}"#, #"{"transform":[{"op":"frames","first":2,"speed":3}]}"#,
        #"{"transform":[{"op":"composite","url":"http://h/b","x":0,"y":1}]}"#, #"{"transform":[{"op":"composite","url":"http://h/b"}]}"#,
        #"{"transform":[{"op":"crop","width":1,"height":1,"gravity":"top"}]}"#, #"{"transform":[{"op":"crop","x":0,"y":0,"width":1,"height":1}]}"#,
        #"{"output":{"format":"jpeg"}}"#, #"{"output":{"format":"jpeg","quality":81}}"#, #"{"output":{"format":"jpeg","progressive":true}}"#,
        #"{"output":{"format":"jpeg","background":"red"}}"#, #"{"output":{"format":"webp"}}"#, #"{"output":{"format":"webp","lossless":true}}"#,
        #"{"output":{"format":"png"}}"#, #"{"output":{"format":"png","animated":true}}"#, #"{"output":{"animated":true}}"#,
        #"{"output":{"format":"jpeg","quality":"auto"}}"#, #"{"output":{"format":"jpeg","quality":"auto","likeness":0.9}}"#,
        #"{"output":{"quality":"auto"}}"#, #"{"output":{"quality":"auto","likeness":0.999}}"#,
        #"{"output":{"format":"avif","quality":80}}"#, #"{"output":{"quality":80}}"#, #"{"decode":{"frames":"first"}}"#, #"{"decode":{"failOn":"none"}}"#,
        #"{"decode":{"limitBytes":5}}"#, #"{"decode":{"limitBytes":1999999999}}"#, #"{"output":{"maxBytes":1073741823}}"#, #"{"as":"bytes"}"#,
        #"{"fetch":{"headers":{"A":"1"}}}"#, #"{"fetch":{"headers":{"A":"2"}}}"#, #"{"fetch":{"auth":{"bearer":"a"}}}"#,
        #"{"fetch":{"auth":{"basic":["a","b"]}}}"#,
        #"{"fetch":{"auth":{"basic":["a","c"]}}}"#, #"{"url":"http://u:p@h/a.jpg"}"#, #"{"url":"http://u:q@h/a.jpg"}"#, #"{"url":"https://h/a.jpg"}"#,
        #"{"fetch":{"auth":{"digest":["a","c"]}}}"#, #"{"fetch":{"method":"POST"}}"#, #"{"fetch":{"method":"POST","body":"a"}}"#,
        #"{"fetch":{"method":"POST","body":{"base64":"YQ=="}}}"#, #"{"fetch":{"method":"POST","body":{"a":1}}}"#, #"{"fetch":{"redirects":{"sameHost":true}}}"#,
        #"{"fetch":{"tls":{"allowInvalid":true}}}"#, #"{"fetch":{"params":{"y":"1"}}}"#, #"{"as":"json"}"#, #"{"fetch":{"acceptableTypes":["image/*"]}}"#,
        #"{"fetch":{"maxBytes":5}}"#, #"{"fetch":{"acceptableStatus":["404"]}}"#, #"{"as":"json","fetch":{"jsonShape":"array"}}"#,
        #"{"fetch":{"decrypt":"base64"}}"#, #"{"fetch":{"cookies":"a"}}"#,
        #"{"url":"http://h/A.jpg"}"#, #"{"url":"http://h/a.jpg?"}"#, #"{"url":"http://h:81/a.jpg"}"#, #"{"url":"http://h/a.jpg?x=1"}"#,
    ]

    @Test func `Different work has different keys`() throws {
        var seen: [[String]: String] = [:]
        for text in Self.different {
            let earlier = try seen.updateValue(text, forKey: keys(text).renditions)
            #expect(earlier == nil, "\(text) has the key of \(earlier ?? "")")
        }
    }

    @Test(arguments: [
        ("http://EXAMPLE.org/a", "HTTP://example.org:80/a#part"), ("https://example.org", "https://example.org:443/"), ("http://h?x", "http://h/?x"),
        ("http://[::1]:80/a", "http://[::1]/a"), ("http://h:0081/", "http://h:81"),
    ])
    func `Two spellings of one address are one source`(one: String, other: String) throws {
        #expect(try keys("{}", url: one).source == keys("{}", url: other).source)
    }

    @Test func `Every radius gives the same boxes as before`() throws {
        for tenth in 1...2500 {
            let radius = Double(tenth) / 10
            func boxes(_ rendition: Rendition?) -> [Int] {
                guard let blur = rendition?.operations.first?.as(Blur.self), let boxes = blur.boxes else { return [] }
                return [boxes.side, boxes.passes]
            }
            let asked = try ImageRequest(["url": "http://h/", "transform": [["op": "blur", "radius": JSON(radius)]]]).renditions.first
            #expect(try boxes(asked) == boxes(asked.map { try Rendition(canonical: $0.canonical) }) && !boxes(asked).isEmpty, "\(radius)")
        }
    }

    @Test func `Names of headers mean the same in capitals`() throws {
        #expect(try keys(#"{"fetch":{"headers":{"Accept":"x","B":"y"}}}"#).source == keys(#"{"fetch":{"headers":{"b":"y","accept":"x"}}}"#).source)
    }

    @Test func `A fingerprint knows the same request whatever its receipt and spelling`() throws {
        let one = try keys(#"{"receipt":"a","priority":"high","output":{"format":"jpeg"}}"#).fingerprint
        #expect(
            try one == keys(#"{"receipt":"b","priority":4,"output":{"format":"jpeg","quality":80},"queue":"default","tag":null,"deadline":30}"#).fingerprint)
        for other in [
            #"{"priority":3,"output":{"format":"jpeg"}}"#, #"{"priority":4,"output":{"format":"png"}}"#,
            #"{"priority":4,"output":{"format":"jpeg"},"tag":"t"}"#,
            #"{"priority":4,"renditions":[{"name":"x","output":{"format":"jpeg"}}]}"#, #"{"priority":4,"output":{"format":"jpeg"},"url":"http://h/b"}"#,
            #"{"priority":4,"output":{"format":"jpeg"},"fetch":{"auth":{"bearer":"t"}}}"#,
        ] {
            #expect(try one != keys(other).fingerprint, "\(other)")
        }
    }

    @Test func `Keys have forty hexadecimal digits`() throws {
        let keys = try keys(#"{"fetch":{"auth":{"bearer":"secret"}}}"#)
        for key in [keys.source] + keys.renditions { #expect(key.count == 40 && key.allSatisfy { $0.isHexDigit && !$0.isUppercase }) }
    }

    @Test(arguments: [
        #"{"transform":[{"op":"resize","width":9,"height":8,"fit":"contain","background":"red","gravity":"top","enlarge":true},{"op":"rotate","angle":90}]}"#,
        #"{"transform":[{"op":"crop","x":1,"y":2,"width":3,"height":4},{"op":"flip","vertical":true},{"op":"autorotate","enabled":false}]}"#,
        #"{"transform":[{"op":"crop","width":0.25,"height":1,"unit":"fraction","gravity":"left"}],"decode":{"frames":"first","limitBytes":9}}"#,
        #"{"transform":[{"op":"blur","preset":"dark","blend":"multiply"},{"op":"trim","color":"red","margin":2},{"op":"inset","left":2,"top":-3,"color":"red"}]}"#,
        #"{"transform":[{"op":"pad","width":5,"aspect":2,"gravity":"left"},{"op":"rotate","angle":12.5,"expand":false,"background":"red"},{"op":"duotone"}]}"#,
        #"{"transform":[{"op":"roundCorners","radius":4,"corners":["topLeft"],"border":{"width":1,"join":"bevel"}},{"op":"mask","shape":"ellipse"}]}"#,
        #"{"transform":[{"op":"frames","pick":[2,0],"reverse":true,"speed":2},{"op":"modulate","hue":-10,"gamma":2},{"op":"tint","color":"red","blend":"screen"}]}"#,
        #"{"transform":[{"op":"resize","width":9,"height":9,"fit":"none","gravity":{"x":0.1,"y":1},"dpr":3},{"op":"sharpen"},{"op":"pixelate"},{"op":"sepia","amount":0.5}]}"#,
        #"{"output":{"format":"webp","quality":"auto","likeness":0.95}}"#,
        #"{"output":{"qualities":{"webp":8,"avif":7}},"decode":{"maxPixels":5,"maxFramePixels":6}}"#,
        #"{"transform":[{"op":"resize","width":9,"minHeight":9,"fit":"outside"},{"op":"resize","minWidth":9,"scale":{"width":2,"height":0.5}},{"op":"trim","symmetric":"both"}]}"#,
        #"{"transform":[{"op":"crop","width":9,"gravity":{"place":"right","offsetX":0.2,"offsetY":-3}},{"op":"pad","width":9,"gravity":{"place":"top","offsetY":1}}]}"#,
        #"{"output":{"format":"webp","quality":3,"lossless":true,"effort":9},"decode":{"failOn":"error","speed":"best"}}"#,
        #"{"output":{"format":"jpeg","progressive":true,"background":"navy"}}"#, #"{"as":"bytes"}"#, #"{}"#,
        #"{"fetch":{"headers":{"A":"1","X-b":"2"},"auth":{"basic":["u","p"]},"timeouts":{"idle":3},"maxBytes":5,"redirects":{"max":0},"acceptableStatus":["200","400-404"],"retry":{"attempts":2}}}"#,
        #"{"as":"json","fetch":{"jsonShape":{"a":["string"]},"acceptableTypes":["Text/*"],"tls":{"pinnedPublicKeys":["sha256//47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="],"allowInvalid":true}}}"#,
        #"{"fetch":{"method":"PATCH","params":{"a":["1",2],"b c":true},"body":{"x":[1]},"auth":{"digest":["u","p"]},"redirects":{"sameHost":true}}}"#,
        #"{"fetch":{"method":"POST","body":{"base64":"AAEC"}}}"#, #"{"fetch":{"method":"PUT","body":"text"}}"#,
    ])
    func `The worker gets the whole work`(text: String) throws {
        let request = try ImageRequest(JSON(parsing: text).object.map { .object($0.merging(["url": "https://h/"])) } ?? .null)
        let rendition = try Rendition(canonical: JSON(parsing: request.renditions[0].canonical.bytes()))
        #expect(rendition.canonical == request.renditions[0].canonical)
        #expect(rendition.digest(source: "s") == request.renditions[0].digest(source: "s"))
        let source = try Source(canonical: JSON(parsing: request.source.canonical.bytes()))
        #expect(source == request.source)
        #expect(source.digest == request.source.digest)
    }

    @Test(arguments: [#"{"maxBytes":5}"#, #"{"acceptableStatus":["404"]}"#, #"{"acceptableTypes":["image/*"]}"#])
    func `The acceptance of a receipt does not split a shared download`(fetch: String) throws {
        let (plain, picky) = try (keys("{}"), keys(#"{"fetch":\#(fetch)}"#))
        #expect(plain.source == picky.source && plain.renditions != picky.renditions)
    }
}
