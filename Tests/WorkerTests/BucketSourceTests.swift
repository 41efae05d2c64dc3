import Foundation
import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TintypeStores
import TestSupport
import Testing

@testable import Worker

/// `s3:` URLs: objects of buckets that the operator has opened, against moto with signatures checked.
@Suite(.timeLimit(.minutes(1)), .serialized, .scoped) struct BucketSourceTests {
    private let server: S3Server

    init() async throws { server = try await S3Server() }

    private func lines(_ prefix: String = "", secret: String? = nil) -> String {
        let (key, own) = (server.environment["AWS_ACCESS_KEY_ID"] ?? "", server.environment["AWS_SECRET_ACCESS_KEY"] ?? "")
        return "# ours\ns3://pictures\(prefix)?endpoint=\(server.endpoint)&region=eu-central-1 \(key) \(secret ?? own)\n"
    }

    @Loop private func harness(_ lines: String) async throws -> WorkerHarness {
        var policy = DownloadPolicy()
        policy.buckets = try SourceBuckets(text: lines, path: "b", environment: [:])
        return try await WorkerHarness(policy: policy)
    }

    @Loop private func put(_ text: String, _ key: String) async throws { try await server.put(Array(text.utf8), key, type: "text/plain") }

    @Loop private func run(_ h: WorkerHarness, _ url: String, _ more: JSONObject = [:], mode: CacheUse.Mode = .normal) async throws -> String {
        var use = CacheUse()
        use.mode = mode
        let request: JSONObject = ["url": .string(url), "as": "bytes"]
        let receipt = try await h.submit(.object(request.merging(more)), cache: use) { $0.readResults = false }
        try await h.runOne()
        return receipt
    }

    @Loop private func text(_ h: WorkerHarness, _ receipt: String) async throws -> String {
        let key = try await h.result(receipt)["renditions"]?[0]?["key"]?.string ?? ""
        return String(decoding: try await h.store.get(key)?.bytes ?? [], as: UTF8.self)
    }

    @Loop private func origin(_ h: WorkerHarness, _ receipt: String) async throws -> String? { try await h.result(receipt)["from"]?.string }

    @Test @Loop func `an object is fetched, kept, and asked about by its tag`() async throws {
        let h = try await harness(lines())
        try await put("one", "a/b%20c%2B~%C3%BC.txt")
        let url = "s3://pictures/a/b%20c+~%c3%bc.txt"
        let first = try await run(h, url)
        #expect(try await text(h, first) == "one")
        let source = try await h.result(first)["source"]
        #expect(source?["url"] == source?["finalURL"] || source?["finalURL"]?.string?.hasPrefix("s3://pictures/") == true)
        #expect(source?["etag"]?.string?.isEmpty == false && source?["status"] == 200)
        #expect(try await origin(h, run(h, url)) == "sources")
        let asked = try await run(h, url, mode: .revalidate)
        #expect(try await h.result(asked)["notModified"] == true)
        // moto goes by the date besides the tag, which has seconds.
        let moment = WallClock.now.rounded(.down)
        while WallClock.now.rounded(.down) == moment { try await Loop.sleep(.milliseconds(50)) }
        try await put("other", "a/b%20c%2B~%C3%BC.txt")
        #expect(try await text(h, run(h, url, mode: .revalidate)) == "other")
    }

    @Test @Loop func `what is not there, or not to be read, is an error that tells nothing of the operator's`() async throws {
        let h = try await harness(lines("/public", secret: nil))
        try await put("mine", "private/a.txt")
        try await put("ours", "public/a.txt")
        #expect(try await text(h, run(h, "s3://pictures/public/a.txt")) == "ours")
        for url in ["s3://pictures/private/a.txt", "s3://pictures/publicity", "s3://pictures/public%2f..%2fprivate/a.txt", "s3://others/public/a.txt"] {
            guard let failure = try? await h.failure(run(h, url)) else {
                #expect(url.contains(".."), "refused when it is read")
                continue
            }
            #expect(failure.name == .denied && failure.message.contains("--source-buckets"), "\(failure)")
        }
        let absent = try await h.failure(run(h, "s3://pictures/public/none.txt"))
        #expect(absent.name == .httpStatus && absent.details["status"] == 404 && absent.details["url"] == "s3://pictures/public/none.txt")
        let long = try await h.failure(run(h, "s3://pictures/public/a.txt", ["fetch": ["maxBytes": 3]]))
        #expect(long.name == .limitExceeded)
        let wrong = try await harness(lines(secret: "hush-hush"))
        let refused = try await wrong.failure(run(wrong, "s3://pictures/public/a.txt", ["fetch": ["acceptableStatus": ["200-599"]]]))
        #expect(refused.details["status"] == 403 && refused.details["body"] == nil)
        for failure in [absent, refused] {
            let told = failure.json.text
            #expect(!told.contains("127.0.0.1") && !told.contains("hush") && !told.contains(server.environment["AWS_ACCESS_KEY_ID"] ?? "?"), "\(told)")
        }
    }

    @Test @Loop func `an endpoint inside the network is refused as any other server there`() async throws {
        let h = try await harness("s3://pictures?endpoint=http://10.0.0.1:9000 key secret\n")
        let failure = try await h.failure(run(h, "s3://pictures/a"))
        #expect(failure.name == .denied && !failure.json.text.contains("10.0.0.1"), "\(failure)")
    }
}
