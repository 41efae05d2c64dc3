import Foundation
import TestSupport
import Testing

@testable import TintypeCore
@testable import TintypeTransport
@testable import TintypeImages
@testable import TintypeStores

/// The S3 store, against moto with checked signatures.
@Suite(.timeLimit(.minutes(2)), .serialized, .scoped) struct S3StoreTests {
    private static let logger = Logger(label: "test", level: .error)

    @Loop private func store(_ url: String, _ environment: [String: String], _ shelf: StoreNamespace = .results) throws(TintypeError) -> any ResultStore {
        try ResultStores.open(url, shelf, name: "test", pool: BlockingPool(threads: 1, name: "s3-test"), logger: Self.logger, environment: environment)
    }

    private func image(_ number: Int, size: Int = 1000, expiresAt: Double? = nil) -> StoredImage {
        var bytes = (0..<min(size, 256)).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ number) }
        while bytes.count < size { bytes += bytes.prefix(size - bytes.count) }
        return StoredImage(
            key: Digest.sha256Hex(Array("\(number)".utf8)), contentType: "image/png", info: ["width": 3], source: ["url": "https://h/ü"], bytes: bytes,
            storedAt: 1_700_000_000.25, expiresAt: expiresAt)
    }

    @Loop @Test func `a listing that never ends is an error`() async throws {
        let page = "<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>again</NextContinuationToken></ListBucketResult>"
        let server = try CannedServer { _, stream in
            stream.write(Array("HTTP/1.1 200 OK\r\nContent-Length: \(page.utf8.count)\r\n\r\n\(page)".utf8))
            return .keep
        }
        defer { server.close() }
        let store = try self.store(
            "s3://pictures?endpoint=\(server.base)", ["AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b"])
        for ask in [store.statistics, store.trim, store.clear] as [@Loop () async throws(TintypeError) -> StoreStatistics] {
            let before = server.requests.count
            let error = await #expect(throws: TintypeError.self) { _ = try await ask() }
            #expect(error?.name == .storeFailed && error?.isRetryable == false && server.requests.count == before + 2)
        }
    }

    @Loop @Test func `S3 keeps the promises of a store`() async throws {
        let server = try await S3Server()
        let store = try self.store(server.url("a/b"), server.environment)
        let now = WallClock.now
        for size in [0, 1, 70_000, 3_000_000] {
            let one = image(size, size: size, expiresAt: now + 100)
            try await store.put(one)
            #expect(try await store.get(one.key) == one)
            #expect(try await store.contains(one.key))
        }
        #expect(try await store.look(up: image(99).key) == .absent)
        #expect(try await !store.contains(image(99).key))
        var replaced = image(1)
        replaced.contentType = "image/webp"
        try await store.put(replaced)
        #expect(try await store.get(replaced.key) == replaced)
        // An expired result is neither contained nor returned, and is trimmed.
        for number in [5, 6] { try await store.put(image(number, expiresAt: now - 1)) }
        #expect(try await !store.contains(image(5).key))
        #expect(try await store.look(up: image(5).key) == .expired)
        #expect(try await store.look(up: image(5).key) == .absent)
        #expect(try await store.trim().count == 1)
        // An image that was put in the place of a marked one stays.
        var later = image(70_000, size: 70_000, expiresAt: now + 101)
        try await store.put(later)
        try await store.remove(StoredMark(image(70_000, size: 70_000, expiresAt: now + 100)))
        #expect(try await store.get(later.key) == later)
        try await store.remove(StoredMark(later))
        #expect(try await store.get(later.key) == nil)
        later.expiresAt = now + 100
        try await store.put(later)
        var odd = image(7)
        odd.key = "../../etc/passwd:ü"
        try await store.put(odd)
        #expect(try await store.get(odd.key) == odd)
        let all = try await store.statistics()
        #expect(all.count == 5 && all.bytes > 3_070_000 && all.capacity == nil)
        let freed = try await store.remove(odd.key)
        #expect(freed.count == 1 && freed.bytes > 1000)
        #expect(try await store.remove(odd.key) == StoreStatistics())
        // Sources are stored separately.
        let sources = try self.store(server.url("a/b"), server.environment, .sources)
        try await sources.put(image(1, size: 5))
        #expect(try await store.clear().count == 4)
        #expect(try await store.statistics().count == 0)
        #expect(try await sources.get(image(1).key) == image(1, size: 5))
    }

    @Loop @Test func `what goes wrong with S3 is storeFailed and says what, without a secret`() async throws {
        let server = try await S3Server()
        func failure(_ url: String, _ environment: [String: String], _ act: @Loop (any ResultStore) async throws -> Void) async -> TintypeError? {
            do {
                try await act(try store(url, environment))
                return nil
            } catch {
                return error as? TintypeError
            }
        }
        let put: @Loop (any ResultStore) async throws -> Void = { try await $0.put(self.image(1)) }
        var wrong = server.environment
        wrong["AWS_SECRET_ACCESS_KEY"] = "topsecret"
        let refused = await failure(server.url("x"), wrong, put)
        #expect(refused?.name == .storeFailed && refused?.isRetryable == false)
        #expect(refused?.message.contains("SignatureDoesNotMatch") == true)
        #expect(refused?.json.text.contains("topsecret") == false)
        let nowhere = server.url("x").replacing("pictures", with: "nowhere")
        #expect(await failure(nowhere, server.environment, put)?.isRetryable == false)
        #expect(await failure(nowhere, server.environment) { _ = try await $0.get("abc") }?.message.contains("NoSuchBucket") == true)
        #expect(await failure(server.url("x"), [:], put)?.message.contains("AWS_ACCESS_KEY_ID") == true)
        await server.kill9()
        let gone = await failure(server.url("x"), server.environment, put)
        #expect(gone?.name == .storeFailed && gone?.isRetryable == true)
    }

    @Test func `the URL of a bucket is read, or refused with what is wrong`() throws {
        #expect(try S3Address("s3://b/p/q").base == "https://b.s3.us-east-1.amazonaws.com")
        #expect(try S3Address("s3://b/p/q").prefix == "p/q")
        #expect(try S3Address("s3://b.c?region=eu-west-1").base == "https://s3.eu-west-1.amazonaws.com/b.c")
        let own = try S3Address("s3://b/?endpoint=http://127.0.0.1:9000/&region=eu-west-1")
        #expect(own.base == "http://127.0.0.1:9000/b" && own.prefix.isEmpty && own.region == "eu-west-1")
        for text in ["s3://", "s3://b/ü", "s3://b/../c", "s3://b?endpoint=ftp://x", "s3://b?endpoint=http://u:p@x", "s3://b?nonsense=1", "s3://b?region="] {
            #expect(throws: SettingError.self, "\(text)") { try S3Address(text) }
        }
        #expect(try ResultsURL("s3://b/p") == .s3(S3Address("s3://b/p")))
    }

    @Test func `pages of a listing are read`() throws {
        let text = """
            <?xml version="1.0"?><ListBucketResult xmlns="x"><IsTruncated>true</IsTruncated><NextContinuationToken>t+/=1</NextContinuationToken>\
            <Contents><Key>a/b</Key><LastModified>2026-11-21T18:22:18.000Z</LastModified><Size>12</Size></Contents>\
            <Contents><Key>a/c</Key><Size>0</Size></Contents></ListBucketResult>
            """
        let page = try #require(S3Listing(Array(text.utf8)))
        #expect(page.next == "t+/=1")
        #expect(page.objects.map(\.key) == ["a/b", "a/c"] && page.objects.map(\.size) == [12, 0])
        #expect(S3Listing(Array("<html>".utf8)) == nil)
    }
}
