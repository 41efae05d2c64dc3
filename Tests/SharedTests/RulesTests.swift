import Foundation
import TestSupport
import Testing

@testable import TintypeCore
@testable import TintypeTransport
@testable import TintypeImages
@testable import TintypeQueue

/// The effect of rules on requests.
@Suite(.tags(.optimized), .timeLimit(.minutes(1))) struct RulesTests {
    private func rules(_ rules: String, bases: String = "{}") throws -> Rules {
        do {
            return try Rules(text: #"{"bases":\#(bases),"rules":[\#(rules)]}"#, path: "r.json")
        } catch {
            Issue.record("\(error.message)")
            throw error
        }
    }

    private func request(_ json: String, _ rules: Rules) throws -> ImageRequest { try ImageRequest(try JSON(parsing: json), rules: rules) }
    private func url(_ url: String, _ rules: Rules) throws -> String { try request(#"{"url":"\#(url)"}"#, rules).source.url }
    private func error(_ json: String, _ rules: Rules) throws -> TintypeError {
        try #require(throws: TintypeError.self) { _ = try request(json, rules) }
    }

    // MARK: Matching

    @Test(arguments: [
        ("a.test", "http://a.test/x", true), ("a.test", "http://b.a.test/x", false), ("*.a.test", "http://b.a.test/x", true),
        ("*.a.test", "http://c.b.a.test/x", true), ("*.a.test", "http://a.test/x", false), ("*.a.test", "http://xa.test/x", false), ("*", "http://a/x", true),
        ("A.TEST", "http://a.test/x", true), ("a.test", "http://A.Test./x", true), ("a.test", "http://%61.test/x", true),
        ("a.test", "http://a.test:81/x", true),
        ("a.test", "http://u:p@a.test/x", true), ("a.test", "http://a.test@b.test/x", false), ("b.test", "http://a.test@b.test/x", true),
        ("127.0.0.1", "http://2130706433/x", true), ("127.0.0.1", "http://0x7f.1/x", true), ("127.0.0.1", "http://2130706433./x", true),
        ("a.test", "http://a.test../x", true),
        ("[::1]", "http://[0:0::1]/x", true),
    ])
    func `hosts are compared in the form that is connected to`(host: String, url: String, isMeant: Bool) throws {
        let rules = try rules(#"{"hosts":["\#(host)"],"access":"deny"}"#)
        if isMeant {
            #expect(try error(#"{"url":"\#(url)"}"#, rules).name == .denied)
        } else {
            #expect(try self.url(url, rules) == url)
        }
    }

    @Test func `a host that cannot be compared is denied`() throws {
        let rules = try rules(#"{"hosts":["a.test"],"access":"deny"}"#)
        for host in ["ａ.test", "bücher.test", "a%00.test", "a.test%2f"] {
            #expect([.invalidURL, .denied].contains(try error(#"{"url":"http://\#(host)/x"}"#, rules).name), "\(host)")
        }
    }

    @Test(arguments: [
        ("/a/", "/a/b", true), ("/a/", "/a", false), ("/a", "/ab", true), ("/a/", "/%61/b", true), ("/a/", "/b/../a/c", true), ("/a/", "/a/../b", false),
        ("/a/", "/b/%2e%2e/a/c", true), ("/a/", "/b%2f..%2Fa/c", true), ("/a/", "/b/.%2E%2fa/./c", true), ("/a/", "/a/%2e%2e/b", false),
        ("/a%2fb", "/a%2fb", true),
        ("/*/drafts/*", "/x/y/drafts/1", true), ("/*.png", "/a/b.png", true), ("/*.png", "/a/b.png.gif", false), ("/*a*b", "/xaxb", true),
        ("/*a*b", "/xbxa", false),
        ("/", "", true), ("/a/", "/b?/a/", false),
    ])
    func `paths are compared by their meaning, by beginning or as a whole`(pattern: String, path: String, isMeant: Bool) throws {
        let rules = try rules(#"{"paths":["\#(pattern)"],"access":"deny"}"#)
        #expect(((try? url("http://a.test\(path)", rules)) == nil) == isMeant)
    }

    @Test(arguments: [
        "/admin/x", "//admin/x", "///admin/x", "/%2Fadmin/x", "/%2fadmin/x", "/%2F/%2fadmin%2Fx", "/x/%2F../admin/x", "/%2e%2f%2fadmin//x", "/public//secret/x",
        "/public%2fsecret/x",
    ])
    func `what is denied is denied however its slashes are written`(path: String) throws {
        let rules = try rules(#"{"paths":["/public/"],"access":"allow"},{"paths":["/admin/","/public/secret/"],"access":"deny"}"#)
        #expect(try error(#"{"url":"http://a.test\#(path)"}"#, rules).name == .denied)
        let target = try #require(TransferURL("http://a.test\(path)"))
        #expect(throws: TintypeError.self) { try rules.access.check(target) }
    }

    @Test func `an allowed or changed URL is so only as written`() throws {
        let rules = try rules(
            #"{"access":"deny"},{"paths":["/public/"],"access":"allow"},{"paths":["/public/"],"filters":[{"addParams":{"v":"3"}}]}"#)
        #expect(try url("http://a.test/public/x", rules) == "http://a.test/public/x?v=3")
        #expect(try url("http://a.test/public//x", rules) == "http://a.test/public//x?v=3")
        for path in ["//public/x", "/%2Fpublic/x"] { #expect(try error(#"{"url":"http://a.test\#(path)"}"#, rules).name == .denied) }
        // Here nothing is denied, and no URL is taken for another.
        let filters = try self.rules(#"{"paths":["/public/"],"filters":[{"addParams":{"v":"3"}}]}"#)
        #expect(try url("http://a.test//public/x", filters) == "http://a.test//public/x")
    }

    @Test func `a later rule replaces the value of an earlier one, and a refusal shows no secrets`() throws {
        let rules = try rules(#"{"access":"deny"},{"hosts":["*.a.test"],"access":"allow"},{"paths":["/private/"],"access":"deny"}"#)
        #expect(try url("http://x.a.test/1", rules) == "http://x.a.test/1")
        let refused = try error(#"{"url":"http://u:hush@x.a.test/private/1?token=hush"}"#, rules)
        #expect(refused.name == .denied && refused.details["which"] == "rule" && !refused.json.text.contains("hush"))
        #expect(try error(#"{"urls":["http://x.a.test/1","http://b.test/1"]}"#, rules).name == .denied)
        #expect(try url("data:,x", rules) == "data:,x")
    }

    // MARK: Effects

    @Test func `headers are added unless the request has its own, the last rule's first`() throws {
        let rules = try rules(#"{"headers":{"Accept":"a/a","X-One":"1"}},{"hosts":["a.test"],"headers":{"accept":"b/b"}}"#)
        func headers(_ json: String) throws -> [String: String] {
            Dictionary(uniqueKeysWithValues: try request(json, rules).source.fetch.headers.map { ($0.name.lowercased(), $0.value) })
        }
        #expect(try headers(#"{"url":"http://a.test/"}"#) == ["accept": "b/b", "x-one": "1"])
        #expect(try headers(#"{"url":"http://b.test/"}"#) == ["accept": "a/a", "x-one": "1"])
        #expect(try headers(#"{"url":"http://a.test/","fetch":{"headers":{"ACCEPT":"c/c"}}}"#) == ["accept": "c/c", "x-one": "1"])
        // A header for one host is not sent to a mirror on another host.
        #expect(try headers(#"{"urls":["http://a.test/","http://b.test/"]}"#) == ["accept": "a/a", "x-one": "1"])
    }

    @Test(arguments: [
        ("img/1.png", "https://www.a.test/media/img/1.png"), ("/1.png", "https://www.a.test/1.png"), ("../x", "https://www.a.test/x"),
        ("?q=1", "https://www.a.test/media/?q=1"),
        ("http://b.test/1", "http://b.test/1"), ("//b.test/x", "https://b.test/x"),
    ])
    func `a relative URL is resolved against the base that is named`(relative: String, whole: String) throws {
        let rules = try rules("", bases: #"{"site":"https://www.a.test/media"}"#)
        #expect(try request(#"{"url":"\#(relative)","fetch":{"base":"site"}}"#, rules).source.url == whole)
    }

    @Test func `an unknown base or CDN is a mistake of the request`() throws {
        let rules = try rules("", bases: #"{"site":"https://a.test/"}"#)
        let unknown = try error(#"{"url":"x","fetch":{"base":"sit"}}"#, rules)
        #expect(unknown.name == .invalidParams && unknown.details["path"] == "fetch.base" && unknown.message.contains(#""site""#))
        #expect(try error(#"{"url":"x"}"#, rules).name == .invalidURL)
        #expect(try error(#"{"url":"","fetch":{"base":"site"}}"#, rules).name == .invalidURL)
        #expect(try error(#"{"url":"javascript:x","fetch":{"base":"site"}}"#, rules).name == .denied)
        let none = try error(#"{"url":"http://b.test/","fetch":{"cdn":true}}"#, .none)
        #expect(none.name == .invalidParams && none.details["path"] == "fetch.cdn")
        #expect(try error(#"{"url":"x","fetch":{"base":"site"}}"#, .none).name == .invalidParams)
    }

    @Test func `a CDN is asked in the place of its host if the request says so`() throws {
        let rules = try rules(#"{"hosts":["a.test"],"cdn":"https://c.test:444/www/"}"#, bases: #"{"site":"http://a.test/m/"}"#)
        #expect(try request(#"{"url":"http://a.test:81/x?y=1","fetch":{"cdn":true}}"#, rules).source.url == "https://c.test:444/www/x?y=1")
        #expect(try request(#"{"url":"x","fetch":{"cdn":true,"base":"site"}}"#, rules).source.url == "https://c.test:444/www/m/x")
        #expect(try request(#"{"url":"http://a.test/x","fetch":{"cdn":true}}"#, rules).source.host == "c.test")
        #expect(try url("http://a.test/x", rules) == "http://a.test/x")
        // No spelling leaves the folder of the CDN.
        for path in ["/../../private/x", "/%2e%2e/%2E./private/x", "/a/./..//..%2e/../private/x"] {
            let source = try request(#"{"url":"http://a.test\#(path)","fetch":{"cdn":true}}"#, rules).source
            #expect(source.url.hasPrefix("https://c.test:444/www/") && source.url.hasSuffix("/private/x") && !source.url.contains("/.."), "\(source.url)")
        }
    }

    @Test(arguments: [
        (#"{"setParams":{"a":"2 3"}}"#, "http://a.test/?a=1&b=2&a=3", "http://a.test/?b=2&a=2%203"),
        (#"{"addParams":{"a":"2","c":"3"}}"#, "http://a.test/?a=1", "http://a.test/?a=1&c=3"),
        (#"{"addParams":{"c":"3"}}"#, "http://a.test/x", "http://a.test/x?c=3"),
        (#"{"dropParams":["utm_*","b"]}"#, "http://a.test/?utm_x=1&a=1&b=2&%75tm_y=3", "http://a.test/?a=1"),
        (#"{"dropParams":["a"]}"#, "http://a.test/x?a", "http://a.test/x"),
        (#"{"host":"b.test:81"}"#, "http://u@a.test:80/x", "http://u@b.test:81/x"),
        (#"{"path":{"from":"/old/","to":"/new/"}}"#, "http://a.test/old/1?q#f", "http://a.test/new/1?q"),
        (#"{"path":{"from":"/old/","to":"/"}}"#, "http://a.test/x/old/", "http://a.test/x/old/"),
        (#"{"path":{"from":"/a/","to":"/b/"}},{"path":{"from":"/b/","to":"/c/"}},{"setParams":{"s":"1"}}"#, "http://a.test/a/x", "http://a.test/c/x?s=1"),
    ])
    func `filters change the URL one after the other`(filters: String, from: String, to: String) throws {
        #expect(try url(from, try rules(#"{"filters":[\#(filters)]}"#)) == to)
    }

    @Test func `what is no part of the key makes no other source, and the worker sees the same key`() throws {
        let rules = try rules(#"{"hosts":["a.test"],"key":{"drop":["X-Amz-*","sig"],"sort":true}},{"hosts":["b.test"],"key":{"keep":["id"]}}"#)
        func source(_ url: String, _ fetch: String = "{}") throws -> Source { try request(#"{"url":"\#(url)","fetch":\#(fetch)}"#, rules).source }
        let one = try source("http://a.test/x?b=1&a=2&X-Amz-Signature=one&sig=1")
        let two = try source("http://A.test:80/x?X-Amz-Signature=two&a=2&b=1")
        #expect(one.digest == two.digest && one.url != two.url)
        #expect(try source("http://a.test/x?a=2&b=1", #"{"params":{"sig":"9"}}"#).digest == one.digest)
        #expect(try source("http://a.test/x?a=2&b=2").digest != one.digest)
        #expect(try source("http://a.test/y?a=2&b=1").digest != one.digest)
        // The same key as without any of them, and without rules.
        #expect(try request(#"{"url":"http://a.test/x?a=2&b=1"}"#, .none).source.digest == one.digest)
        let worker = try Source(canonical: JSON(parsing: one.canonical.bytes()))
        #expect(worker == one && worker.digest == one.digest && worker.url.contains("X-Amz-Signature=one"))
        #expect(try source("http://b.test/x?id=1&a=2").digest == (try source("http://b.test/x?c=2&id=1").digest))
        let mirrors = try request(#"{"urls":["http://a.test/x?sig=1","http://c.test/x?sig=2"]}"#, rules).source
        #expect(try Source(canonical: JSON(parsing: mirrors.canonical.bytes())).digest == mirrors.digest)
        #expect(try request(#"{"urls":["http://a.test/x?sig=3","http://c.test/x?sig=2"]}"#, rules).source.digest == mirrors.digest)
        #expect(try request(#"{"urls":["http://a.test/x?sig=1","http://c.test/x?sig=3"]}"#, rules).source.digest != mirrors.digest)
    }

    @Test func `the usual transform is that of pictures for which none is named`() throws {
        let rules = try rules(#"{"transform":[{"op":"resize","width":9}]},{"hosts":["b.test"],"transform":[]}"#)
        func steps(_ json: String) throws -> [Int] { try request(json, rules).renditions.map(\.operations.count) }
        #expect(try steps(#"{"url":"http://a.test/"}"#) == [1])
        #expect(try steps(#"{"url":"http://a.test/","output":{"format":"png"}}"#) == [1])
        #expect(try steps(#"{"url":"http://a.test/","transform":[]}"#) == [0])
        #expect(try steps(#"{"url":"http://a.test/","as":"bytes"}"#) == [0])
        #expect(try steps(#"{"url":"http://b.test/"}"#) == [0])
        #expect(try steps(#"{"url":"http://a.test/","renditions":[{"name":"a"},{"name":"b","transform":[{"op":"flip"},{"op":"flip"}]}]}"#) == [1, 2])
    }

    @Test func `limits of hosts are those of the last rule about them`() throws {
        let rules = try rules(
            #"{"maxConcurrentPerHost":9},{"hosts":["*.a.test","[::1]","2130706433"],"maxConcurrentPerHost":1},{"hosts":["*.a.test","B.test."],"maxConcurrentPerHost":3},"#
                + #"{"hosts":["b.test"],"access":"allow"}"#)
        #expect(rules.hostLimits.shown == ["*": 9, "*.a.test": 3, "::1": 1, "127.0.0.1": 1, "b.test": 3])
        #expect(Dictionary(uniqueKeysWithValues: rules.hostLimits.queued.map { ($0.pattern, $0.value) })[".a.test"] == "2:3")
    }

    @Test func `a repeated receipt is recognized by its own members, even after the rules have changed`() throws {
        let old = try rules(#"{"headers":{"X-One":"1"},"transform":[{"op":"flip"}]}"#, bases: #"{"s":"http://a.test/"}"#)
        let new = try rules(#"{"headers":{"X-One":"2"},"filters":[{"host":"b.test"}]}"#, bases: #"{"s":"http://b.test/"}"#)
        for json in [#"{"url":"http://a.test/x"}"#, #"{"url":"x","fetch":{"base":"s","params":{"a":1}}}"#] {
            let first = try request(json, old)
            #expect(try request(json, old).fingerprint == first.fingerprint)
            #expect(try request(json, new).fingerprint == first.fingerprint)
            #expect(try request(json, new).source.digest != first.source.digest)
        }
        let plain = try request(#"{"url":"http://a.test/x"}"#, .none)
        #expect(try request(#"{"url":"http://a.test/x"}"#, old).fingerprint == plain.fingerprint)
        #expect(try request(#"{"url":"x","fetch":{"base":"s"}}"#, old).fingerprint != (try request(#"{"url":"y","fetch":{"base":"s"}}"#, old).fingerprint))
    }

    @Test func `the access list is read back as written, and has nothing else of the rules`() throws {
        let rules = try rules(
            #"{"hosts":["*"],"access":"deny","headers":{"X-Key":"hush"}},{"hosts":["A.test.","2130706433"],"access":"allow"},"#
                + #"{"headers":{"X-Key":"hush"}},{"hosts":["a.test"],"paths":["/secret","/*/drafts/*"],"access":"deny"}"#)
        #expect(rules.access.digest?.count == 16 && !rules.access.text.contains("hush"))
        let read = try AccessList(text: rules.access.text)
        #expect(read.digest == rules.access.digest && read.text == rules.access.text)
        for (url, isAllowed) in [
            ("http://a.test/x", true), ("https://A.TEST:8443/x?y", true), ("http://a.test/x/../%73ecret/1", false), ("http://a.test/1/drafts/2", false),
            ("http://a.test/\u{301}/drafts/\u{301}2", false),
            ("http://a.test/secret\u{301}", false), ("http://b.test/", false), ("http://0x7f.1/", true), ("http://127.0.0.2/", false),
            ("http://a.test.evil.test/", false),
        ] {
            let target = try #require(TransferURL(url))
            #expect((try? read.check(target)) != nil ? isAllowed : !isAllowed, "\(url)")
        }
        // Without such a rule, nothing travels.
        #expect(try self.rules(#"{"headers":{"X-Key":"hush"}}"#).access.digest == nil && AccessList.none.text == "[]")
        #expect(try request(#"{"url":"http://a.test/x"}"#, rules).source.access == rules.access.digest)
        #expect(try request(#"{"url":"http://a.test/x"}"#, rules).source.canonical["access"] == nil, "it is in no key")
        for text in ["", "{}", "[1]", #"[{"acess":"deny"}]"#] { #expect(throws: TintypeError.self) { _ = try AccessList(text: text) } }
    }

    // MARK: The file

    @Test(arguments: [
        ("{\n \"rules\": [\n  {\"access\": \"deny\"\n ]\n}", "r.json:4: expected a comma or the end of the object"), ("[]", "r.json:1: expected an object"),
        ("{\n\"rules\": [\n{\"hosts\": [\"a.test\"]},\n{\n\"hots\": [\"b.test\"]}]}", "r.json:5: rules[1].hots: unknown parameter (did you mean \"hosts\"?)"),
        ("{\"rules\": [{\n\"hosts\": [\"a.test\",\n\"a/b\"]}]}", "r.json:3: rules[0].hosts[1]: expected a host"),
        ("{\"rules\": [{\n\"filters\": [{\"host\": \"a\"},\n{\"host\": \"b\", \"addParams\": {}}]}]}", "r.json:3: rules[0].filters[1]: expected one step"),
        ("{\"rules\": [{\"transform\": [{\"op\":\"resize\",\n\"width\":\n\"x\"}]}]}", "r.json:2: rules[0].transform[0].width"),
        ("{\"rules\": [{\"headers\": {\"A\":\"1\",\n\"B\": \"hush\\nhush\"}}]}", "r.json:2: rules[0].headers.B: expected"),
        ("{\"rules\": [{\n\"headers\": {\"Host\":\"hush\"}}]}", "r.json:2: rules[0].headers: expected"),
        ("{\"bases\": {\"a.b\": \"http://a.test\",\n\"c.d\": \"http://u:hush@a.test/\"}}", "r.json:2: bases.c.d: expected an http or https URL without user"),
        ("{\"rules\": [\n{\"cdn\": \"ftp://a.test\"}]}", "r.json:2: rules[0].cdn"), ("{\"rules\": [\n{\"access\": \"dney\"}]}", "r.json:2: rules[0].access"),
        ("{\"rules\":\n[{\"hosts\": [\"bücher.test\"]}]}", "r.json:2: rules[0].hosts[0]"),
        ("{\"rules\":\n[{\"paths\": [\"a\"]}]}", "r.json:2: rules[0].paths[0]"),
        ("{\"rules\":\n[{\"hosts\": [\"a.test\"], \"maxConcurrentPerHost\": 0}]}", "r.json:2: rules[0].maxConcurrentPerHost"),
        ("{\"rules\": [{\"paths\": [\"/a\"],\n\"maxConcurrentPerHost\": 1}]}", "r.json:2: rules[0].maxConcurrentPerHost: expected a rule without paths"),
        ("{\"rules\": [{\"key\": {\"drop\":\n\"a\"}}]}", "r.json:1: rules[0].key.drop"),
        ("{\"rules\": [{\"options\": {\"fetch\": {\"timeouts\": {\n\"total\": 0}}}}]}", "r.json:2: rules[0].options.fetch.timeouts.total: expected a number"),
        ("{\"rules\": [{\"options\": {\n\"url\": \"http://a.test/\"}}]}", "r.json:2: rules[0].options.url: unknown parameter"),
        ("{\"rules\": [{\"options\": {\"fetch\": {\n\"headers\": {\"A\": \"hush\"}}}}]}", "r.json:2: rules[0].options.fetch.headers: unknown parameter"),
        ("{\"rules\": [{\"options\": {\"fetch\": {\n\"auth\": {\"bearer\": \"hush\\nhush\"}}}}]}", "r.json:2: rules[0].options.fetch.auth"),
        ("{\"rules\": [{\"options\": {\"fetch\": {\n\"body\": \"hush\"}}}]}", "r.json:1: rules[0].options.fetch.method: expected"),
        ("{\"rules\": [{\"options\": {\"fallback\": {\n\"url\": \"ftp://u:hush@a.test/\"}}}]}", "r.json:2: rules[0].options.fallback.url: expected"),
        ("{\"rules\": [{\"headers\": {\"A\": null,\n\"a\": \"hush\"}}]}", "r.json:1: rules[0].headers: expected"),
        ("{\"rules\": [{\"ttl\": {\"min\": 5,\n\"max\": 4}}]}", "r.json:2: rules[0].ttl.max: expected at least min, 5"),
        ("{\"rules\": [{\"response\": {\n\"status\": {\"301\": 200}}}]}", "r.json:2: rules[0].response.status: expected"),
        ("{\"rules\": [{\"response\": {\"status\": {\n\"200\": 304}}}]}", "r.json:2: rules[0].response.status.200: expected"),
        ("{\"rules\": [{\"response\": {\n\"headers\": {\"Content-Type\": \"a/b\"}}}]}", "r.json:2: rules[0].response.headers: expected"),
        ("{\"rules\": [{\"response\": {\"length\": {\"min\": 9,\n\"max\": 4}}}]}", "r.json:2: rules[0].response.length.max: expected at least min, 9"),
    ])
    func `a wrong file is refused with the line and what is wrong, but no secrets`(text: String, message: String) throws {
        let mistake = try #require(throws: SettingError.self) { _ = try Rules(text: text, path: "r.json") }
        #expect(mistake.message.hasPrefix(message) && !mistake.message.contains("hush"), "\(mistake.message)")
    }

    @Test func `the example of docs slash rules works as the page describes`() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../docs").standardized.path
        let page = try String(contentsOfFile: folder + "/rules.md", encoding: .utf8)
        let blocks = page.components(separatedBy: "```json\n").dropFirst().compactMap { $0.components(separatedBy: "```").first }
        for block in blocks { _ = try Rules(text: block, path: "rules.md") }
        let example = try #require(blocks.first { $0.contains("\"bases\"") })
        let rules = try Rules(text: example, path: "rules.md")
        #expect(rules.count == 8 && rules.hostLimits.shown == ["files.example.org": 2])
        for member in Rules.parameters + Rule.parameters + URLFilter.parameters + KeyFilter.parameters + KeyPattern.parameters
            + LifetimeBounds.parameters + TransferRevision.parameters
        where !page.contains("`\(member.name)`") {
            Issue.record("docs/rules.md says nothing of \(member.name)")
        }
        #expect(try url("https://www.example.org/media/old/1.jpg?utm_source=x&id=7", rules) == "https://www.example.org/media/archive/1.jpg?id=7&v=3")
        let relative = try request(#"{"url":"1.jpg","fetch":{"base":"site","cdn":true}}"#, rules)
        #expect(relative.source.url == "https://cdn.example.org/www/media/1.jpg?v=3" && relative.renditions[0].operations.count == 1)
        #expect(relative.source.fetch.headers.map(\.name) == ["Accept"])
        #expect(try error(#"{"url":"https://elsewhere.test/1.jpg"}"#, rules).name == .denied)
        #expect(try error(#"{"url":"https://www.example.org/a/drafts/1.jpg"}"#, rules).name == .denied)
        #expect(relative.source.fetch.timeouts.total == 20 && relative.renditions[0].output.quality == 75 && relative.source.fetch.lifetime != nil)
        #expect(try request(#"{"url":"https://old.example.org/1.jpg"}"#, rules).cachePolicy == .only)
        let mirrors = try (1...2).map { try request(#"{"url":"https://cdn\#($0).example.org/img/1.jpg"}"#, rules).source.digest }
        #expect(mirrors[0] == mirrors[1])
        #expect(try request(#"{"url":"https://shop.example.org/1.jpg"}"#, rules).source.fetch.revision?.length?.status == 404)
        let signed = try request(#"{"url":"https://files.example.org/1?X-Amz-Signature=a&id=1"}"#, rules)
        #expect(try request(#"{"url":"https://files.example.org/1?id=1&X-Amz-Signature=b"}"#, rules).source.digest == signed.source.digest)
    }
}
