import Documents
import Foundation
import TintypeContracts
import TintypeCore
import TintypeImages
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct DescriptionTests {
    private func refusal(_ json: JSON) throws -> TintypeError {
        do throws(TintypeError) {
            _ = try ImageRequest(json)
        } catch {
            return error
        }
        throw TestFailure("accepted \(json.text)")
    }

    /// A wrong request, the place of the mistake, and a word of the expectation.
    @Test(
        arguments: [
            (#"{}"#, "url", "string"), (#"{"url":7}"#, "url", "string"), (#"{"url":null}"#, "url", "string"),
            (#"{"url":"http://h/","wdith":1}"#, "wdith", "one of"), (#"{"url":"http://h/","priorty":1}"#, "priorty", "\"priority\"?"),
            (#"{"url":"http://h/","transform":[{"op":"resise","width":1}]}"#, "transform[0].op", "did you mean \"resize\"?"),
            (#"{"url":"http://h/","transform":[{"width":1}]}"#, "transform[0].op", "one of"),
            (#"{"url":"http://h/","transform":[{"op":"resize","widht":1}]}"#, "transform[0].widht", "\"width\"?"),
            (#"{"url":"http://h/","transform":[{"op":"resize"}]}"#, "transform[0].width", "a width"),
            (#"{"url":"http://h/","transform":[{"op":"resize","width":0}]}"#, "transform[0].width", "from 1 to 16384"),
            (#"{"url":"http://h/","transform":[{"op":"resize","width":1.5}]}"#, "transform[0].width", "an integer"),
            (#"{"url":"http://h/","transform":[{"op":"resize","width":"9"}]}"#, "transform[0].width", "an integer"),
            (#"{"url":"http://h/","transform":[{"op":"resize","width":9,"fit":"covr"}]}"#, "transform[0].fit", "\"cover\"?"),
            (##"{"url":"http://h/","transform":[{"op":"resize","width":9,"background":"#12"}]}"##, "transform[0].background", "a color"),
            (#"{"url":"http://h/","transform":[{"op":"rotate","angle":4500}]}"#, "transform[0].angle", "to 3600"),
            (#"{"url":"http://h/","transform":[{"op":"blur"}]}"#, "transform[0].sigma", "a preset"),
            (#"{"url":"http://h/","transform":[{"op":"blur","sigma":1,"radius":1}]}"#, "transform[0].radius", "either"),
            (#"{"url":"http://h/","transform":[{"op":"blur","preset":"darck"}]}"#, "transform[0].preset", "\"dark\"?"),
            (#"{"url":"http://h/","transform":[{"op":"tint"}]}"#, "transform[0].color", "a color"),
            (#"{"url":"http://h/","transform":[{"op":"pad"}]}"#, "transform[0].width", "an aspect"),
            (#"{"url":"http://h/","transform":[{"op":"mask","shape":"star"}]}"#, "transform[0].shape", "\"circle\""),
            (#"{"url":"http://h/","transform":[{"op":"frames","pick":[0],"first":1}]}"#, "transform[0].first", "either"),
            (#"{"url":"http://h/","transform":[{"op":"frames","pick":[-1]}]}"#, "transform[0].pick[0]", "from 0"),
            (#"{"url":"http://h/","transform":[{"op":"roundCorners","radius":1,"corners":["left"]}]}"#, "transform[0].corners[0]", "\"topLeft\""),
            (#"{"url":"http://h/","transform":[{"op":"roundCorners","radius":1,"border":{}}]}"#, "transform[0].border.width", "a number"),
            (#"{"url":"http://h/","transform":[{"op":"resize","width":9000,"dpr":2}]}"#, "transform[0].dpr", "at most 16384"),
            (#"{"url":"http://h/","transform":[{"op":"resize","width":9,"gravity":{"x":2,"y":0}}]}"#, "transform[0].gravity.x", "from 0 to 1"),
            (#"{"url":"http://h/","transform":[{"op":"grayscale","amount":1}]}"#, "transform[0].amount", "no parameters"),
            (#"{"url":"http://h/","transform":[{"op":"crop","width":1,"height":1,"x":0,"y":0,"gravity":"top"}]}"#, "transform[0].gravity", "either"),
            (#"{"url":"http://h/","transform":[{"op":"crop","width":2,"height":1,"unit":"fraction"}]}"#, "transform[0].width", "fraction"),
            (#"{"url":"http://h/","transform":{}}"#, "transform", "an array"),
            (
                #"{"url":"http://h/","renditions":[{"transform":[{"op":"flip"},{"op":"resize","width":-3}]}]}"#, "renditions[0].transform[1].width",
                "from 1"
            ),
            (#"{"url":"http://h/","renditions":[]}"#, "renditions", "1 to 32"), (#"{"url":"http://h/","renditions":[{},{}]}"#, "renditions[1].name", "a name"),
            (#"{"url":"http://h/","renditions":[{}],"output":{}}"#, "renditions", "either"),
            (#"{"url":"http://h/","output":{"format":"bmp"}}"#, "output.format", "\"webp\""),
            (#"{"url":"http://h/","output":{"quality":101}}"#, "output.quality", "from 1 to 100"),
            (#"{"url":"http://h/","priority":11}"#, "priority", "-10"), (#"{"url":"http://h/","priority":"urgent"}"#, "priority", "\"high\""),
            (#"{"url":"http://h/","deadline":0}"#, "deadline", "a number"), (#"{"url":"http://h/","receipt":"a b"}"#, "receipt", "1 to 128"),
            (#"{"url":"http://h/","receipt":""}"#, "receipt", "1 to 128"), (#"{"url":"http://h/","queue":"a:b"}"#, "queue", "a queue"),
            (#"{"url":"http://h/","progress":{"interval":-1}}"#, "progress.interval", "a number"),
            (#"{"url":"http://h/","cache":{"policy":"none"}}"#, "cache.policy", "\"reload\""),
            (#"{"url":"http://h/","cache":{"read":["disk"]}}"#, "cache.read[0]", "\"memory\""),
            (#"{"url":"http://h/","fetch":{"headers":{"Host":"x"}}}"#, "fetch.headers", "names"),
            (#"{"url":"http://h/","fetch":{"headers":{"A":"1","a":"2"}}}"#, "fetch.headers", "once"),
            (#"{"url":"http://h/","fetch":{"acceptableStatus":["99"]}}"#, "fetch.acceptableStatus[0]", "a status"),
            (#"{"url":"http://h/","as":"bytes","output":{}}"#, "as", "\"image\""),
            (#"{"url":"http://h/","blacklist":"maybe"}"#, "blacklist", "one of"),
            (#"{"url":"http://h/","callback":{}}"#, "callback.url", "an http or https URL"),
            (#"{"url":"http://h/","callback":{"url":"ftp://h/"}}"#, "callback.url", "an http or https URL"),
            (#"{"url":"http://h/","callback":{"url":"/relative"}}"#, "callback.url", "an http or https URL"),
            (#"{"url":"http://h/","callback":{"url":"http://h:99999/"}}"#, "callback.url", "an http or https URL"),
            (#"{"url":"http://h/","callback":{"url":"http://h/","secret":""}}"#, "callback.secret", "1 to 1024"),
            (#"{"url":"http://h/","callback":{"url":"http://h/","sceret":"x"}}"#, "callback.sceret", "\"secret\"?"),
        ] as [(String, String, String)])
    func `A wrong parameter is named with its path, value and what is allowed`(text: String, path: String, expected: String) throws {
        let error = try refusal(JSON(parsing: text))
        #expect(error.name == .invalidParams && error.phase == .admission && !error.isRetryable)
        #expect(error.details["path"] == .string(path))
        #expect(error.details["expected"]?.string?.contains(expected) == true, "\(error.details["expected"]?.text ?? "")")
        #expect(error.details["value"] != nil)
        #expect(error.message.contains(path))
    }

    /// A mistake in a value with several shapes: place, value, and a word of the intended shape's expectation.
    @Test(
        arguments: [
            (#"{"fallback":{"color":"red","width":0,"height":1}}"#, "fallback.width", "0", "an integer from 1 to 8192"),
            (#"{"fallback":{"color":"red","width":1}}"#, "fallback.height", "null", "an integer from 1 to 8192"),
            (#"{"fallback":{"color":"nocolor","width":1,"height":1}}"#, "fallback.color", #""(a string of 7 bytes)""#, "a color"),
            (#"{"fallback":{"width":1,"height":1}}"#, "fallback.color", "null", "a color"),
            (#"{"fallback":{"url":7}}"#, "fallback.url", "7", "a string"), (#"{"fallback":{"key":7}}"#, "fallback.key", "7", "a key"),
            (#"{"fallback":{"key":"a b"}}"#, "fallback.key", #""(a string of 3 bytes)""#, "a key: 1 to 128"),
            (#"{"fallback":{"color":"red","width":1,"heigth":1}}"#, "fallback.heigth", "1", "\"height\"?"),
            (#"{"fallback":{"kye":"k"}}"#, "fallback.kye", #""(a string of 1 bytes)""#, "\"key\"?"),
            (#"{"fallback":{"url":"http://u:p@h/","key":"k"}}"#, "fallback", #""(an object)""#, "an object with url, or an object with key, or"),
            (#"{"fallback":{"bogus":1}}"#, "fallback", #""(an object)""#, "an object with url, or an object with key, or"),
            (#"{"fallback":"red"}"#, "fallback", #""(a string of 3 bytes)""#, "an object with color, width, height"),
            (#"{"fetch":{"auth":{"bearer":5}}}"#, "fetch.auth.bearer", #""(hidden)""#, "text without line breaks"),
            (#"{"fetch":{"auth":{"digest":["u"]}}}"#, "fetch.auth.digest", #""(hidden)""#, "an array of 2 to 2"),
            (#"{"fetch":{"params":{"a":["b",{}]}}}"#, "fetch.params.a[1]", #""(hidden)""#, "a string"),
            (#"{"transform":[{"op":"resize","width":9,"gravity":{"x":0.5}}]}"#, "transform[0].gravity.y", "null", "from 0 to 1"),
            (#"{"transform":[{"op":"resize","width":9,"gravity":{"x":0.5,"y":2}}]}"#, "transform[0].gravity.y", "2", "from 0 to 1"),
            (#"{"progressive":{"widht":9}}"#, "progressive.widht", "9", "\"width\"?"),
            (#"{"progressive":{"width":9}}"#, "progressive.width", "9", "from 16 to 1280"), (#"{"progressive":7}"#, "progressive", "7", "true or false"),
        ] as [(String, String, String, String)])
    func `A mistake in a value of several shapes is reported for the intended shape`(text: String, path: String, value: String, expected: String) throws {
        let error = try refusal(.object(JSONObject([("url", "http://h/")]).merging(try #require(JSON(parsing: text).object))))
        #expect(error.name == .invalidParams && error.details["path"] == .string(path) && error.details["value"]?.text == value, "\(error.json.text)")
        #expect(error.details["expected"]?.string?.contains(expected) == true, "\(error.json.text)")
    }

    @Test(arguments: [
        #"{"auth":{"bearer":7}}"#, #"{"auth":{"bearer":"hunter2\n"}}"#, #"{"auth":{"basic":["u","hunter2\u0001"]}}"#, #"{"auth":{"basic":["hunter2"]}}"#,
        #"{"auth":{"baerer":"hunter2"}}"#, #"{"auth":"hunter2"}"#, #"{"headers":{"Cookie":"hunter2\n"}}"#, #"{"headers":["hunter2"]}"#,
        #"{"authorization":"hunter2"}"#, #"{"haeders":{"Cookie":"hunter2"}}"#,
    ])
    func `No secret comes back in an error`(fetch: String) throws {
        let error = try refusal(["url": "http://h/", "fetch": JSON(parsing: fetch)])
        #expect(error.name == .invalidParams)
        #expect(!error.json.text.contains("hunter2"))
        #expect(error.details["path"]?.string?.hasPrefix("fetch.") == true)
    }

    @Test(arguments: [#"{"url":"hunter2"}"#, #"{"url":"http://h/","sceret":"hunter2"}"#, #""hunter2""#, #"{"url":"http://h/","secret":["hunter2"]}"#])
    func `No secret of a callback comes back in an error`(callback: String) throws {
        let error = try refusal(["url": "http://h/", "callback": JSON(parsing: callback)])
        #expect(error.name == .invalidParams && !error.json.text.contains("hunter2"))
        let target = CallbackTarget(url: "https://hooks.test/services/hunter2?t=hunter2", secret: "hunter2")
        #expect("\(target)" == "callback to hooks.test")
    }

    @Test func `The wrong value is shown`() throws {
        #expect(try refusal(["url": "http://h/", "output": ["quality": 101]]).details["value"] == 101)
        #expect(try refusal(["url": "http://h/", "bogus": 3]).details["value"] == 3)
        #expect(try refusal(["url": "http://h/", "transform": [["op": "blurr"]]]).details["value"] == "blurr")
    }

    @Test func `Null means not given`() throws {
        let request = try ImageRequest(["url": "http://h/", "receipt": nil, "progress": nil, "output": nil, "cache": ["ttl": nil], "userInfo": nil])
        #expect(request.receipt == nil && request.userInfo == nil && request.progress == nil && request.ttl == nil && request.renditions.count == 1)
    }

    @Test func `Every default is a value its parameter takes`() throws {
        var seen = 0
        func check(_ descriptions: [ParameterDescription]) throws {
            #expect(Set(descriptions.map(\.name)).count == descriptions.count)
            for description in descriptions {
                if let value = description.defaultValue {
                    seen += 1
                    try description.type.validate(value, at: description.name)
                }
                #expect(!description.summary.isEmpty)
                try check(description.type.members)
            }
        }
        for method in MethodCatalog.methods { try check(method.parameters) }
        #expect(seen > 30)
    }

    /// Issue 2, item 6.
    @Test func `Every method of this build is described once`() throws {
        let names = MethodCatalog.methods.map(\.name)
        #expect(Set(names).count == names.count)
        for name in [
            "image.load", "image.submit", "image.probe", "receipt.get", "receipt.cancel", "receipt.pause", "receipt.resume", "receipt.setPriority", "queue.get",
            "queue.list",
            "queue.configure", "queue.pause", "queue.resume", "workers.list", "formats.list", "cache.stats", "cache.clear", "events.subscribe",
            "system.ping", "system.info", "rpc.discover", "$/cancelRequest",
        ] {
            #expect(MethodCatalog.method(name) != nil, "\(name)")
        }
        #expect(MethodCatalog.method("image.nothing") == nil)
        for feature in MethodCatalog.features {
            let place = try #require(names.firstIndex(of: feature.methods[0].name))
            #expect(feature.predecessor.map { $0 == names[place - 1] } ?? true, "\(names[place])")
        }
    }

    @Test func `The OpenRPC document lists every method with parameters by name`() throws {
        let document = try JSON(parsing: OpenRPCDocument.json(version: "1.2.3", methods: MethodCatalog.methods).bytes())
        #expect(document["openrpc"]?.string?.hasPrefix("1.") == true && document["info"]?["version"] == "1.2.3")
        let methods = try #require(document["methods"]?.array)
        #expect(methods.compactMap { $0["name"]?.string } == MethodCatalog.methods.map(\.name))
        let load = try #require(methods.first { $0["name"] == "image.load" })
        #expect(load["paramStructure"] == "by-name" && load["result"] != nil)
        let url = try #require(load["params"]?.array?.first { $0["name"] == "url" })
        // `urls` may replace it.
        #expect(url["required"] != true && url["schema"]?["type"] == "string")
        let output = try #require(load["params"]?.array?.first { $0["name"] == "output" })
        let quality = output["schema"]?["properties"]?["quality"]?["anyOf"]
        #expect(quality?[0]?["maximum"] == 100 && quality?[1]?["enum"] == ["auto"])
        #expect(output["schema"]?["additionalProperties"] == false)
    }

    @Test func `Each example has parameters that its method takes`() throws {
        for method in MethodCatalog.methods {
            let params = try #require(method.example.params.object, "\(method.name)")
            #expect(throws: Never.self, "\(method.name)") { try ParameterDescription.validate(params, method.parameters, at: "") }
            #expect((method.example.result == nil) == (method.name == "$/cancelRequest"), "\(method.name)")
        }
    }

    @Test func `The OpenRPC document has the example of each method`() throws {
        let document = try JSON(parsing: OpenRPCDocument.json(version: "1.2.3", methods: MethodCatalog.methods).bytes())
        for (method, described) in zip(try #require(document["methods"]?.array), MethodCatalog.methods) {
            let pairing = try #require(method["examples"]?[0], "\(described.name)")
            let params = try #require(pairing["params"]?.array).map { ($0["name"]?.string ?? "", $0["value"] ?? .null) }
            #expect(JSON.object(JSONObject(params)) == described.example.params && pairing["result"]?["value"] == described.example.result)
        }
    }

    @Test func `The page docs/protocol.md is what the descriptions say, and docs/http.md has the methods behind the dashboard`() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let page = try String(contentsOf: root.appending(path: "docs/protocol.md"), encoding: .utf8)
        let pages = page + (try String(contentsOf: root.appending(path: "docs/http.md"), encoding: .utf8))
        #expect(page == ReferencePage.protocol.text, "swift run tintype docs protocol > docs/protocol.md")
        for name in ErrorName.allCases { #expect(page.contains("| \(name.code) | \(name.rawValue) |")) }
        for method in MethodCatalog.methods {
            #expect(pages.contains("### `\(method.name)`"))
            #expect(pages.contains((["method": .string(method.name), "params": method.example.params] as JSON).text), "\(method.name) has no example")
        }
    }
}
