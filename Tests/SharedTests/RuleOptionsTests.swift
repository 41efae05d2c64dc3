import Testing

@testable import TintypeCore
@testable import TintypeImages

/// The members that rules give to requests, and the limits that rules set for members.
@Suite(.timeLimit(.minutes(1))) struct RuleOptionsTests {
    private func request(_ json: String, _ rules: String, isProbe: Bool = false) throws -> ImageRequest {
        try ImageRequest(try JSON(parsing: json), isProbe: isProbe, rules: try Rules(text: #"{"rules":[\#(rules)]}"#, path: "r.json"))
    }

    /// The options of one rule, for a request of a URL with other members.
    private func request(_ words: String = "", options: String, isProbe: Bool = false) throws -> ImageRequest {
        try request(#"{"url":"http://a.test/x"\#(words.isEmpty ? "" : ",")\#(words)}"#, #"{"options":\#(options)}"#, isProbe: isProbe)
    }

    // MARK: Precedence

    @Test func `a request's own word counts before a later rule's, that before an earlier one's, and that before what is usual`() throws {
        let rules =
            #"{"options":{"fetch":{"timeouts":{"total":7,"idle":3},"retry":{"attempts":9}},"priority":2,"queue":"bulk"}},"#
            + #"{"hosts":["a.test"],"options":{"fetch":{"timeouts":{"total":8}},"priority":"high"}},{"hosts":["b.test"],"options":{"priority":-9}}"#
        let plain = try request(#"{"url":"http://a.test/x"}"#, rules)
        #expect(plain.source.fetch.timeouts.total == 8 && plain.source.fetch.timeouts.idle == 3 && plain.source.fetch.timeouts.connect == 10)
        #expect(plain.source.fetch.attempts == 9 && plain.priority == 4 && plain.queue == "bulk")
        let own = try request(#"{"url":"http://a.test/x","priority":0,"queue":"default","fetch":{"timeouts":{"total":5},"retry":null}}"#, rules)
        #expect(own.source.fetch.timeouts.total == 5 && own.source.fetch.timeouts.idle == 3 && own.source.fetch.attempts == 9)
        #expect(own.priority == 0 && own.queue == "default")
    }

    @Test func `null in a later rule removes the value of an earlier one`() throws {
        let first = #"{"options":{"fetch":{"auth":{"bearer":"hush"},"timeouts":{"total":7,"idle":3}},"decode":{"frames":"first"}}}"#
        let plain = try request(#"{"url":"http://a.test/x"}"#, first + #",{"options":{"fetch":{"auth":null,"timeouts":{"total":null}},"decode":null}}"#)
        #expect(plain.source.fetch.credentials == nil && plain.source.fetch.timeouts.total == 60 && plain.source.fetch.timeouts.idle == 3)
        #expect(plain.renditions[0].decode == DecodeOptions())
    }

    @Test func `with mirrors, only rules that match all of them count`() throws {
        let rules = #"{"options":{"priority":1}},{"hosts":["a.test"],"options":{"fetch":{"auth":{"bearer":"hush"}},"priority":5}}"#
        let mirrored = try request(#"{"urls":["http://a.test/x","http://b.test/x"]}"#, rules)
        #expect(mirrored.priority == 1 && mirrored.source.fetch.credentials == nil)
        #expect(try request(#"{"urls":["http://a.test/x","http://a.test/y"]}"#, rules).priority == 5)
    }

    @Test func `every part of a request may be laid down`() throws {
        let all = try request(
            options: #"{"fetch":{"auth":{"basic":["u","p"]},"timeouts":{"connect":1},"retry":{"attempts":7,"base":2},"tls":{"pinnedPublicKeys":[]},"#
                + #""redirects":{"max":1,"sameHost":true},"maxBytes":1000,"acceptableStatus":["200-404"],"cookies":"jar","resume":false,"cdn":false},"#
                + #""cache":{"ttl":60,"policy":"revalidate","version":3,"write":["results"],"scope":"s"},"output":{"format":"webp","quality":7},"#
                + #""decode":{"frames":"first"},"order":"lifo","deadline":12,"blacklist":"off","detached":true,"deliver":"inline","describe":["phash"]}"#)
        let fetch = all.source.fetch
        #expect(fetch.credentials == .basic(user: "u", password: "p") && fetch.timeouts.connect == 1 && fetch.attempts == 7 && fetch.retryBase == 2)
        #expect(fetch.maxRedirects == 1 && fetch.sameHostRedirects && fetch.cookies == "jar" && !fetch.resumes)
        let rendition = all.renditions[0]
        #expect(rendition.acceptance.maxBytes == 1000 && rendition.acceptance.takes(status: 404))
        #expect(rendition.output.format == .webp && rendition.output.quality == 7 && rendition.decode.frames == .first)
        #expect(all.ttl == 60 && all.cachePolicy == .revalidate && all.version == 3 && all.writes == [.results] && all.source.scope != nil)
        #expect(all.order == .lifo && all.deadline == 12 && all.blacklist == .off && all.isDetached && all.delivery == .inline)
        #expect(all.renditions.count == 2 && all.renditions[1].traits == [.phash])
    }

    // MARK: Options that exclude each other

    @Test func `two values of one option are never mixed`() throws {
        #expect(try request(#""fetch":{"method":"GET"}"#, options: #"{"fetch":{"method":"POST","body":"x"}}"#).source.fetch.body == nil)
        let own = try request(#""fetch":{"headers":{"authorization":"Bearer own"}}"#, options: #"{"fetch":{"auth":{"bearer":"hush"}}}"#)
        #expect(own.source.fetch.credentials == nil)
        #expect(
            try request(#""fetch":{"auth":{"bearer":"own"}}"#, options: #"{"fetch":{"auth":{"basic":["u","p"]}}}"#).source.fetch.credentials == .bearer("own"))
        #expect(try request(#""output":{"accept":["webp"]}"#, options: #"{"output":{"format":"png","quality":9}}"#).renditions[0].output.accepted != nil)
        let bytes = try request(#""as":"bytes""#, options: #"{"output":{"format":"png"},"describe":["phash"],"fetch":{"jsonShape":{"a":"string"}}}"#)
        #expect(bytes.renditions.map(\.mode) == [.bytes, .probe] && bytes.renditions[0].acceptance.shape != nil)
        #expect(try request(#""as":"json""#, options: #"{"output":{"format":"png"},"describe":["phash"]}"#).renditions.map(\.mode) == [.json])
        #expect(try request(#""transform":[]"#, options: #"{"as":"bytes"}"#).renditions.map(\.mode) == [.image])
        #expect(try request(options: #"{"as":"bytes"}"#).renditions.map(\.mode) == [.bytes])
        #expect(try request(options: #"{"fetch":{"jsonShape":{"a":"string"}}}"#).renditions[0].acceptance.shape == nil)
    }

    @Test func `each rendition without output options gets those of the rule`() throws {
        let both = try request(
            #""renditions":[{"name":"a"},{"name":"b","output":{"format":"png","effort":1}}]"#,
            options: #"{"output":{"format":"webp","effort":5,"lossless":true}}"#)
        #expect(both.renditions.map(\.output.format) == [.webp, .png] && both.renditions.map(\.output.effort) == [5, 1])
        #expect(both.renditions.map(\.output.isLossless) == [true, true])
    }

    @Test func `a probe gets the options that a probe may have`() throws {
        let probe = try request(
            options: #"{"output":{"format":"png"},"as":"bytes","deliver":"none","decode":{"frames":"first"},"fetch":{"timeouts":{"total":5}},"queue":"q"}"#,
            isProbe: true)
        #expect(probe.source.fetch.timeouts.total == 5 && probe.queue == "q" && probe.renditions.map(\.mode) == [.probe] && probe.source.extent == .header)
        #expect(try request(options: #"{"describe":["phash"],"decode":{"frames":"first"}}"#, isProbe: true).source.extent == .whole)
    }

    @Test func `other pictures are downloaded by the rules for their own URLs`() throws {
        let layered = try request(
            #"{"url":"http://a.test/x","transform":[{"op":"composite","url":"http://b.test/y"},{"op":"composite","url":"http://a.test/z"}]}"#,
            #"{"hosts":["b.test"],"options":{"fetch":{"auth":{"bearer":"hush"},"timeouts":{"total":4}}}}"#)
        let layers = layered.renditions[0].layers
        #expect(layers[0].source.fetch.credentials == .bearer("hush") && layers[0].source.fetch.timeouts.total == 4)
        #expect(layers[1].source.fetch == FetchOptions() && layered.source.fetch.credentials == nil)
    }

    @Test func `a repeated request is recognized under any rules, and without options nothing changes`() throws {
        for json in [
            #"{"url":"http://a.test/x"}"#, #"{"url":"http://a.test/x","output":{"quality":3},"fetch":{"retry":{"attempts":2}},"cache":{"scope":"s"}}"#,
        ] {
            let plain = try ImageRequest(try JSON(parsing: json))
            let ruled = try request(
                json, #"{"options":{"priority":3,"output":{"format":"png"},"cache":{"ttl":9},"fetch":{"auth":{"bearer":"hush"}}},"ttl":{"max":4}}"#)
            #expect(ruled.fingerprint == plain.fingerprint && ruled.source.digest != plain.source.digest)
            let idle = try request(json, #"{"hosts":["b.test"],"options":{"priority":3}},{"access":"allow"}"#)
            #expect(idle.source.canonical == plain.source.canonical && idle.source.digest == plain.source.digest && idle.renditions == plain.renditions)
            #expect(idle.fingerprint == plain.fingerprint && idle.priority == plain.priority)
        }
    }

    // MARK: Access and lifetimes

    @Test func `with access cached, only cached entries answer, under every policy`() throws {
        let rules = #"{"hosts":["a.test"],"access":"cached"},{"hosts":["a.test"],"paths":["/new/"],"access":"allow"}"#
        for words in ["", #","cache":{"policy":"reload"}"#] {
            let kept = try request(#"{"url":"http://a.test/x"\#(words)}"#, rules)
            let plain = try ImageRequest(["url": "http://a.test/x"]).source.judged(by: rulesAccess(rules))
            #expect(kept.cachePolicy == .only && kept.source == plain)
            #expect(try request(#"{"url":"http://a.test/new/x"\#(words)}"#, rules).cachePolicy != .only)
        }
        #expect(try request(#"{"url":"http://a.test/new/..//x"}"#, rules).cachePolicy == .only)
        #expect(try request(#"{"urls":["http://b.test/x","http://a.test/x"]}"#, rules).cachePolicy == .only)
        #expect(try request(#"{"url":"http://b.test/x","transform":[{"op":"composite","url":"http://a.test/x"}]}"#, rules).cachePolicy == .only)
        // A redirect there would be a download.
        let list = try rulesAccess(rules)
        #expect(throws: TintypeError.self) { try list.check(try #require(TransferURL("http://a.test/x"))) }
        #expect(throws: Never.self) { try list.check(try #require(TransferURL("http://a.test/new/x"))) }
    }

    private func rulesAccess(_ rules: String) throws -> AccessList { try Rules(text: #"{"rules":[\#(rules)]}"#, path: "r.json").access }

    @Test(arguments: [
        ("", nil), (#""cache":{"ttl":5}"#, 10), (#""cache":{"ttl":0}"#, 10), (#""cache":{"ttl":50}"#, 50), (#""cache":{"ttl":500}"#, 100),
        (#""cache":{"ttl":-1}"#, -1),
    ])
    func `a requested lifetime is bounded, except for a negative one`(words: String, ttl: Double?) throws {
        let bounded = try request(#"{"url":"http://a.test/x"\#(words.isEmpty ? "" : ",")\#(words)}"#, #"{"ttl":{"min":10,"max":100}}"#)
        #expect(bounded.ttl == ttl)
        let bounds = try #require(bounded.source.fetch.lifetime)
        #expect([5, 50, 500].map(bounds.nearest(to:)) == [10, 50, 100])
        // The option travels with the fetch, and is in no key.
        let worker = try Source(canonical: JSON(parsing: bounded.source.canonical.bytes()))
        let plain = try ImageRequest(["url": "http://a.test/x"]).source
        #expect(worker == bounded.source && worker.digest == plain.digest)
    }

    @Test func `no request can say itself what only rules may`() {
        for member in ["omit", "lifetime", "response"] {
            #expect(throws: TintypeError.self) { _ = try ImageRequest(try JSON(parsing: #"{"url":"http://a.test/x","fetch":{"\#(member)":{}}}"#)) }
        }
        let profile = #"{"url":"https://a.test/x","fetch":{"tls":{"profile":"partner"}}}"#
        #expect(throws: TintypeError.self) { _ = try ImageRequest(try JSON(parsing: profile)) }
    }

    @Test func `the last rule with a TLS profile counts, and the profile makes another source`() throws {
        let rules =
            #"{"tlsProfile":"first"},{"hosts":["a.test"],"tlsProfile":"second"},{"hosts":["a.test"],"options":{"fetch":{"tls":{"pinnedPublicKeys":[]}}}}"#
        let source = try request(#"{"url":"https://a.test/x"}"#, rules).source
        #expect(source.fetch.tlsProfile == "second" && source.isPersonal)
        #expect(try request(#"{"url":"https://b.test/x"}"#, rules).source.fetch.tlsProfile == "first")
        let plain = try ImageRequest(["url": "https://a.test/x"]).source
        #expect(source.digest != plain.digest && plain.fetch.tlsProfile == nil)
        #expect(try Source(canonical: JSON(parsing: source.canonical.bytes())) == source)
        #expect(throws: SettingError.self) { try request(#"{"url":"https://a.test/x"}"#, #"{"tlsProfile":"a b"}"#) }
    }

    // MARK: Removed headers

    @Test func `a header that a rule takes away is not sent, whoever says it, until a later rule says it anew`() throws {
        func headers(_ words: String, _ rules: String) throws -> (sent: [String: String], omitted: [String]) {
            let fetch = try request(#"{"url":"http://a.test/x"\#(words)}"#, rules).source.fetch
            return (Dictionary(uniqueKeysWithValues: fetch.headers.map { ($0.name.lowercased(), $0.value) }), fetch.omittedHeaders)
        }
        let (first, second) = (#"{"headers":{"Accept":"a/a","X-One":"1"}}"#, #"{"headers":{"accept":null,"x-one":null}}"#)
        let own = #","fetch":{"headers":{"ACCEPT":"c/c","X-Two":"2"}}"#
        #expect(try headers("", first + "," + second) == ([:], ["accept"]))
        #expect(try headers(own, first + "," + second) == (["x-two": "2"], ["accept"]))
        #expect(try headers("", second + "," + first) == (["accept": "a/a", "x-one": "1"], []))
        #expect(try headers(own, second + "," + first).sent["accept"] == "c/c")
        // If the service would send the header by itself, the source without it is another one.
        let bare = try request(#"{"url":"http://a.test/x"}"#, second).source
        #expect(try Source(canonical: JSON(parsing: bare.canonical.bytes())) == bare)
        #expect(try bare.digest != (request(#"{"url":"http://a.test/x"}"#, "{}").source.digest))
        #expect(
            try request(#"{"url":"http://a.test/x"}"#, #"{"headers":{"X-One":null}}"#).source.digest
                == (try request(#"{"url":"http://a.test/x"}"#, "{}").source.digest))
    }
}
