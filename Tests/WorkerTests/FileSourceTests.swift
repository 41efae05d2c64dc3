import Foundation
import Synchronization
import TintypeCore
import TintypeTransport
import TintypeImages
import TestSupport
import Testing

@testable import Worker
import TintypeStores

/// `file:` URLs below a folder, and encrypted sources.
@Suite(.timeLimit(.minutes(1)), .scoped) struct FileSourceTests {
    private static let keys =
        "# ours\nmine: aes-256-gcm \(String(repeating: "00", count: 32)) hosts=*\n\n"
        + "other: AES-256-CBC \(String(repeating: "01", count: 32)) legacy-cbc hosts=*\n"

    @Loop private func harness(_ root: TemporaryFolder) async throws -> WorkerHarness {
        var policy = DownloadPolicy()
        policy.fileRoot = root.path + "/root"
        policy.keys = try DecryptionKeys(text: Self.keys, path: "keys")
        try FileManager.default.createDirectory(atPath: root.path + "/root/in", withIntermediateDirectories: true)
        try Data("outside".utf8).write(to: URL(fileURLWithPath: root.path + "/secret"))
        try Data("inside".utf8).write(to: URL(fileURLWithPath: root.path + "/root/in/a b.txt"))
        for (name, target) in [("up", "../secret"), ("absolute", "/etc/passwd"), ("folder", ".."), ("good", "in/a b.txt"), ("circle", "in/../circle")] {
            try FileManager.default.createSymbolicLink(atPath: root.path + "/root/" + name, withDestinationPath: target)
        }
        return try await WorkerHarness(policy: policy)
    }

    @Loop private func run(_ h: WorkerHarness, _ url: String, _ fetch: JSON = [:]) async throws -> String {
        let receipt = try await h.submit(["url": .string(url), "as": "bytes", "fetch": fetch])
        try await h.runOne()
        return receipt
    }

    @Loop private func text(_ h: WorkerHarness, _ receipt: String) async throws -> String {
        let key = try await h.result(receipt)["renditions"]?[0]?["key"]?.string ?? ""
        return String(decoding: try await h.store.get(key)?.bytes ?? [], as: UTF8.self)
    }

    @Test @Loop func `files below the folder are read, also by links within it`() async throws {
        let root = try TemporaryFolder("files")
        let h = try await harness(root)
        #expect(try await text(h, run(h, "file:///in/a%20b.txt")) == "inside")
        #expect(try await text(h, run(h, "file:///good")) == "inside")
        #expect(try await text(h, run(h, "file://localhost/in/../good")) == "inside")
        #expect(try await h.failure(run(h, "file:///none")).details["status"] == 404)
        #expect(try await h.failure(run(h, "file:///in/a%20b.txt?", ["maxBytes": 5])).name == .limitExceeded)
        let circle = try await h.failure(run(h, "file:///circle"))
        #expect(circle.name == .denied && circle.message.contains("circle") && !circle.message.contains("outside"))
    }

    /// The kernel refuses such a path by `EAGAIN` whenever anything is renamed on the machine meanwhile.
    @Test func `paths with dots are read while other processes rename files`() throws {
        let root = try TemporaryFolder("files")
        try FileManager.default.createDirectory(atPath: root.path + "/in", withIntermediateDirectories: true)
        try Data("inside".utf8).write(to: URL(fileURLWithPath: root.path + "/file"))
        let path = String(repeating: "/in/..", count: 5) + "/file"
        let isDone = Mutex(false)
        let other = Thread {
            try? Data().write(to: URL(fileURLWithPath: root.path + "/other"))
            while !isDone.withLock({ $0 }) {
                rename(root.path + "/other", root.path + "/another")
                rename(root.path + "/another", root.path + "/other")
            }
        }
        other.start()
        defer { isDone.withLock { $0 = true } }
        for _ in 0..<10_000 { #expect(try RootedFile.read(path, below: root.path, atMost: 100) == Array("inside".utf8)) }
    }

    @Test(arguments: ["/../secret", "/in/../../secret", "/%2e%2e/secret", "/up", "/absolute", "/folder/secret", "/in", "/", "/in/a%20b.txt%00.png"])
    @Loop func `no path leads out of the folder`(path: String) async throws {
        let root = try TemporaryFolder("files")
        let h = try await harness(root)
        let error = try await h.failure(run(h, "file://\(path)"))
        #expect(error.name == .denied, "\(error)")
    }

    @Test @Loop func `without a folder files are denied`() async throws {
        let h = try await WorkerHarness()
        #expect(try await h.failure(run(h, "file:///etc/passwd")).name == .denied)
    }

    @Test @Loop func `bodies are decrypted by the named key, and probes see the content`() async throws {
        let root = try TemporaryFolder("files")
        let h = try await harness(root)
        #expect(try await text(h, run(h, "data:,aW5zaWRl", ["decrypt": "base64"])) == "inside")
        // The standard's example: sixteen zeros under a key of zeros.
        let secret = "AAAAAAAAAAAAAAAAzqdAPU1ga24HTsXTuvOdGNDRyKeZmWvwJluYtdSKuRk="
        try Data(#require(Base64.bytes(of: Array(secret.utf8)))).write(to: URL(fileURLWithPath: root.path + "/root/encrypted"))
        let receipt = try await run(h, "file:///encrypted", ["decrypt": "mine"])
        #expect(try await text(h, receipt) == String(repeating: "\0", count: 16))
        #expect(try await h.result(receipt)["source"]?["bytes"] == 16)
        for (url, name) in [("data:,%25", "base64"), ("file:///encrypted", "other"), ("file:///good", "mine"), ("data:,x", "unknown")] {
            let error = try await h.failure(run(h, url, ["decrypt": .string(name)]))
            #expect(error.name == .decryptFailed && !error.json.text.contains("0101"), "\(error)")
        }
        // No key decrypts bytes that a client brings.
        #expect(try await h.failure(run(h, "data:;base64,\(secret)", ["decrypt": "mine"])).name == .forbidden)
        let picture = [UInt8](try await HTTP.get(h.url("/picture.png?size=20x10")).body)
        try Data(Base64.text(of: picture).utf8).write(to: URL(fileURLWithPath: root.path + "/root/picture"))
        let probe = try await h.submit(["url": "file:///picture", "fetch": ["decrypt": "base64"]], isProbe: true)
        try await h.runOne()
        #expect(try await h.result(probe)["source"]?["width"] == 20)
    }

    /// Without the optimizer, so many bytes of Base64 take longer than a turn may.
    @Test(.freesLoop) @Loop func `the decryption of a long body leaves the loop free`() async throws {
        let root = try TemporaryFolder("files")
        let h = try await harness(root)
        let text = [UInt8](repeating: UInt8(ascii: "A"), count: 16 << 20)
        try Data(text).write(to: URL(fileURLWithPath: root.path + "/root/long"))
        #expect(try await h.result(run(h, "file:///long", ["decrypt": "base64"]))["source"]?["bytes"]?.int == 12 << 20)
    }

    @Test(arguments: [
        ("any", "http://a.test/x", true), ("any", "https://b.test/x", true), ("any", "file:///x", true), ("any", "data:,***", false), ("any", "", false),
        ("one", "http://a.test/x", true), ("one", "http://A.TEST./x", true), ("one", "http://b.test/x", false), ("one", "http://a.test.b.test/", false),
        ("one", "http://b.test/@a.test/", false), ("below", "http://cdn.a.test:8080/", true), ("below", "http://a.test/", false), ("one", "file:///x", false),
    ])
    func `a key decrypts the answers of its hosts, and nothing else`(name: String, url: String, isRead: Bool) throws {
        let zeros = String(repeating: "00", count: 32)
        let keys = try DecryptionKeys(
            text: "any: aes-256-gcm \(zeros) hosts=*\none: aes-256-gcm \(zeros) hosts=a.test\nbelow: aes-256-gcm \(zeros) hosts=c.test,*.a.test", path: "keys")
        let secret = try #require(Base64.bytes(of: Array("AAAAAAAAAAAAAAAAzqdAPU1ga24HTsXTuvOdGNDRyKeZmWvwJluYtdSKuRk=".utf8)))
        do throws(TintypeError) {
            #expect(try keys.decrypt(secret, name, from: url) == [UInt8](repeating: 0, count: 16) && isRead)
        } catch {
            #expect(error.name == .forbidden && !isRead)
        }
    }

    @Test(arguments: [
        "old: aes-256-cbc \(String(repeating: "01", count: 32))", "old: aes-256-cbc \(String(repeating: "01", count: 32)) legacy-cbc",
        "old: aes-256-cbc \(String(repeating: "01", count: 32)) hosts=a.test",
        "new: aes-256-gcm \(String(repeating: "01", count: 32))", "new: aes-256-gcm \(String(repeating: "01", count: 32)) legacy-cbc hosts=a.test",
        "new: aes-256-gcm \(String(repeating: "01", count: 32)) hosts=", "new: aes-256-gcm \(String(repeating: "01", count: 32)) host=a.test",
        "mine", "mine: aes-256-gcm", "mine: des 00", "base64: aes-256-gcm \(String(repeating: "01", count: 32)) hosts=*", "mine: aes-256-gcm 0011", "a b: c",
    ])
    func `a faulty file of keys is refused with its line`(line: String) {
        do throws(SettingError) {
            _ = try DecryptionKeys(text: "# ours\n\(line)\n", path: "/keys")
            Issue.record("accepted")
        } catch {
            #expect(error.message.hasPrefix("/keys:2: ") && !error.message.contains("0011"))
        }
    }
}
