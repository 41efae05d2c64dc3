import Testing

@testable import TintypeCore
@testable import TintypeTransport
@testable import TintypeImages
@testable import TintypeQueue

/// Changes to responses by rules, and the failures that are retried.
@Suite(.timeLimit(.minutes(1))) struct TransferRevisionTests {
    private func revision(_ json: String) throws -> TransferRevision { try #require(try TransferRevision(JSON(parsing: json), at: "response")) }

    private func head(_ status: Int, _ headers: [(name: String, value: String)] = []) -> TransferHead {
        TransferHead(status: status, headers: headers, url: "http://a.test/", expectedBytes: 9)
    }

    @Test func `a status is taken for another by the first that fits, and headers stand in place of all of their names`() throws {
        let revision = try revision(
            #"{"status":{"404":200,"400-499":503,"200":201},"type":"image/png","headers":{"Cache-Control":"max-age=5","Set-Cookie":null,"Expires":null}}"#)
        #expect([404, 410, 200, 204, 304, 500].map { revision.revised(head($0)).status } == [200, 503, 201, 204, 304, 500])
        let revised = revision.revised(
            head(200, [("cache-control", "no-store"), ("content-type", "text/html"), ("cache-control", "private"), ("set-cookie", "a=b"), ("etag", "x")]))
        #expect(revised.headers.map { "\($0.name): \($0.value)" }.sorted() == ["cache-control: max-age=5", "content-type: image/png", "etag: x"])
        #expect(revised.expectedBytes == 9 && revised.url == "http://a.test/")
        #expect(try self.revision("{}").revised(head(200, [("a", "b")])).headers.map(\.value) == ["b"])
    }

    @Test func `a response change travels with the fetch, in no key, and takes nothing out of dead letters`() throws {
        let json =
            #"{"status":{"404":200,"500-599":404},"type":"image/png","headers":{"Cache-Control":"no-store","Set-Cookie":null},"length":{"min":1,"max":9,"status":410}}"#
        let once = try revision(json)
        #expect(try revision(once.json.text) == once)
        let plain = try ImageRequest(["url": "http://a.test/x"]).source
        let rules = try Rules(text: #"{"rules":[{"response":\#(json)},{"hosts":["b.test"],"response":{"type":"a/b"}}]}"#, path: "r.json")
        let ruled = try ImageRequest(["url": "http://a.test/x"], rules: rules).source
        #expect(ruled.fetch.revision == once && ruled.digest == plain.digest && ruled.canonical != plain.canonical)
        #expect(try Source(canonical: JSON(parsing: ruled.canonical.bytes())) == ruled)
        #expect(CredentialStripper.text(of: ruled.canonical, renditions: []) == "")
        // No change unless the rule matches all mirrors.
        let mirrors = try ImageRequest(["urls": ["http://a.test/x", "http://b.test/x"]], rules: rules).source
        #expect(mirrors.fetch.revision == once)
    }

    @Test func `a body outside the length of a rule is distinguished from one within`() throws {
        let length = try #require(try revision(#"{"length":{"min":10,"max":20}}"#).length)
        #expect([9, 10, 20, 21].map { length.takes($0) } == [false, true, true, false] && length.mayGrow(to: 9) && !length.mayGrow(to: 21))
        #expect(try length.status == 502 && (revision(#"{"length":{"min":1}}"#).length?.takes(1 << 40)) == true)
        let error = TransferFailure.length(9, length, of: head(200))
        #expect(error.name == .httpStatus && error.isRetryable && error.details["status"] == 502 && error.details["bytes"] == 9)
    }

    // MARK: Retries

    private func error(_ name: ErrorName, status: Int? = nil, retryable: Bool? = nil, _ phase: Phase = .download) -> TintypeError {
        TintypeError(name, phase, "x", retryable: retryable, details: status.map { ["status": JSON($0)] } ?? [:])
    }

    @Test func `named failures of a download are retried, and no others`() throws {
        func tries(_ on: JSON, _ error: TintypeError) throws -> Bool { try #require(RetryClasses(on)).judged(error).isRetryable }
        #expect(try tries(["timeout"], error(.timeout)) && !tries(["timeout"], error(.dns)) && !tries([], error(.timeout)))
        #expect(try tries(["404", "httpStatus"], error(.httpStatus, status: 404, retryable: false)))
        #expect(
            try !tries(["httpStatus"], error(.httpStatus, status: 404, retryable: false))
                && tries(["httpStatus"], error(.httpStatus, status: 503, retryable: true)))
        #expect(
            try tries(["500-502"], error(.httpStatus, status: 501, retryable: true)) && !tries(["500-502"], error(.httpStatus, status: 503, retryable: true)))
        #expect(try tries(["tls"], error(.tls)) && tries([], error(.tls, retryable: true)), "a fault of the worker")
        // Failures outside of the download are retried as usual.
        #expect(try tries([], error(.timeout, retryable: true, .transform)) && tries([], error(.internalError)) && !tries(["404"], error(.authFailed)))
    }

    @Test func `retry classes travel with the fetch, in no key`() throws {
        func source(_ fetch: String) throws -> Source { try ImageRequest(try JSON(parsing: #"{"url":"http://a.test/x","fetch":\#(fetch)}"#)).source }
        let (plain, some) = (try source("{}"), try source(#"{"retry":{"on":["timeout","404","404"]}}"#))
        #expect(some.digest == plain.digest && plain.canonical["retry"] == nil && some.canonical["retry"]?["on"] == ["404", "timeout"])
        #expect(try Source(canonical: JSON(parsing: some.canonical.bytes())) == some)
        #expect(try source(#"{"retry":{"attempts":2}}"#).canonical["retry"]?["on"] == nil)
        #expect(try some.fetch.retryOn?.distinction == (source(#"{"retry":{"on":["404","timeout"]}}"#)).fetch.retryOn?.distinction)
        for wrong in [#"["4xx"]"#, #"["cancelled"]"#, #"["99"]"#, #""timeout""#] {
            #expect(throws: TintypeError.self) { _ = try source(#"{"retry":{"on":\#(wrong)}}"#) }
        }
    }
}
