import Foundation
import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TintypeStores
import TestSupport
import Testing

@testable import TintypeSaving
@testable import Worker

/// `saveTo`: results as files of the operator's, whole or not at all.
@Suite(.timeLimit(.minutes(1)), .scoped) struct SavePlacesTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder("places") }

    private func text(_ name: String) -> String? {
        (try? Data(contentsOf: URL(fileURLWithPath: "\(folder.path)/\(name)"))).map { String(decoding: $0, as: UTF8.self) }
    }

    private var files: Set<String> {
        var isFolder = ObjCBool(false)
        return Set(
            TemporaryFolder.paths(below: folder.path).filter {
                FileManager.default.fileExists(atPath: "\(folder.path)/\($0)", isDirectory: &isFolder) && !isFolder.boolValue
            })
    }

    private func save(_ text: String, _ name: String, _ replacing: SaveTarget.Replacing = .never) -> Result<PlaceFolder.Outcome, TintypeError> {
        Result { () throws(TintypeError) in try PlaceFolder(path: folder.path).save(Array(text.utf8), as: name, replacing) }
    }

    @Test func `a file that is there stays, is replaced or refuses, as is asked`() throws {
        #expect(try save("one", "a/b/c.txt").get() == .saved)
        // The same once more, as after a crash.
        #expect(try save("one", "a/b/c.txt").get() == .saved)
        #expect(try save("two", "a/b/c.txt", .keep).get() == .kept && text("a/b/c.txt") == "one")
        for other in ["two", "on", "one!", ""] {
            guard case .failure(let error) = save(other, "a/b/c.txt") else { throw TestFailure("taken") }
            #expect(error.name == .storeFailed && error.phase == .store && !error.isRetryable && text("a/b/c.txt") == "one")
        }
        #expect(try save("two", "a/b/c.txt", .always).get() == .saved && text("a/b/c.txt") == "two")
        #expect(try save("", "empty", .keep).get() == .saved && text("empty") == "")
        #expect(files == ["a/b/c.txt", "empty"])
    }

    @Test(arguments: ["link/x", "file/x", "../out", "a/../../out", ".saving/x", "a/.b", ""]) func `no name leads out of the place, nor through a link`(
        name: String
    ) throws {
        let outside = try TemporaryFolder("outside")
        try FileManager.default.createSymbolicLink(atPath: folder.path + "/link", withDestinationPath: outside.path)
        try Data("mine".utf8).write(to: URL(fileURLWithPath: folder.path + "/file"))
        guard case .failure(let error) = save("x", name, .always) else { throw TestFailure("taken") }
        #expect(error.name == .denied && TemporaryFolder.paths(below: outside.path).isEmpty && text("file") == "mine")
        #expect(TemporaryFolder.paths(below: folder.path + "/.saving").isEmpty)
    }

    @Test func `a link that has the name is replaced itself, or is no file`() throws {
        let outside = try TemporaryFolder("outside")
        let target = outside.path + "/theirs"
        try Data("theirs".utf8).write(to: URL(fileURLWithPath: target))
        try FileManager.default.createSymbolicLink(atPath: folder.path + "/a", withDestinationPath: target)
        for replacing in [SaveTarget.Replacing.never, .keep] {
            guard case .failure(let error) = save("theirs", "a", replacing) else { throw TestFailure("taken") }
            #expect(error.name == .denied)
        }
        #expect(try save("mine", "a", .always).get() == .saved && text("a") == "mine")
        #expect(try String(contentsOfFile: target, encoding: .utf8) == "theirs")
        try FileManager.default.createDirectory(atPath: folder.path + "/b", withIntermediateDirectories: false)
        guard case .failure = save("x", "b", .always), case .failure = save("x", "b", .keep) else { throw TestFailure("taken") }
        #expect(files == ["a"])
    }

    @Test func `of a writer that died there is no file, and what it left is swept away in its time`() throws {
        let place = PlaceFolder(path: folder.path)
        let root = open(folder.path, O_RDONLY | O_DIRECTORY)
        defer { close(root) }
        // As far as the bytes, and no farther.
        let written = try place.write(Array("half".utf8), root)
        close(written.folder)
        #expect(files == [".saving/\(written.name)"])
        place.sweep(now: Date().timeIntervalSince1970)
        #expect(files.count == 1)
        place.sweep(now: Date().timeIntervalSince1970 + PlaceFolder.longest + 5)
        #expect(files.isEmpty)
        #expect(try save("whole", "a").get() == .saved)
    }

    @Test func `of many who save under one name one wins, and no reader sees a part`() async throws {
        let (place, path) = (PlaceFolder(path: folder.path), folder.path + "/a")
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask {
                    for _ in 0..<20 { _ = try? place.save([UInt8](repeating: UInt8(number), count: 100_000), as: "a", .always) }
                }
            }
            group.addTask {
                for _ in 0..<200 {
                    guard let bytes = try? Data(contentsOf: URL(fileURLWithPath: path)) else { continue }
                    #expect(bytes.count == 100_000 && Set(bytes).count == 1)
                }
            }
        }
        #expect(files == ["a"])
    }

    private func saving(_ places: String, _ environment: [String: String] = [:]) throws -> [WorkerFeature] {
        let addresses = try SettingType.places.parse(places)
        return [
            WorkerFeature { abilities, parts throws(TintypeError) in
                abilities.saving = try SavePlaces(addresses, pool: parts.files, environment: environment)
            }
        ]
    }

    @Test @Loop func `two names for one picture are two files of one download, and equal wishes are one`() async throws {
        let h = try await WorkerHarness(features: saving("p=file://\(folder.path)"))
        let url = JSON.string(h.url("/picture.png?size=40x30"))
        func request(_ name: String) -> JSON { ["url": url, "transform": [["op": "resize", "width": 20]], "saveTo": ["place": "p", "name": .string(name)]] }
        let receipts = [
            try await h.submit(request("{stem}-{width}x{height}.{extension}")), try await h.submit(request("b/{sha256}")),
            try await h.submit(request("b/{sha256}")),
        ]
        let plain = try await h.submit(["url": url, "transform": [["op": "resize", "width": 20]]])
        try await h.runOne()
        var saved: [JSON?] = []
        for receipt in receipts { saved.append(try await h.result(receipt)["renditions"]?[0]?["saved"]) }
        let sum = try #require(try await h.result(plain)["renditions"]?[0]?["sha256"]?.string)
        #expect(try await h.result(plain)["renditions"]?[0]?["saved"] == nil)
        #expect(
            saved == [["place": "p", "name": "picture-20x15.png"], ["place": "p", "name": .string("b/\(sum)")], ["place": "p", "name": .string("b/\(sum)")]])
        #expect(files == ["picture-20x15.png", "b/\(sum)"])
        let key = try #require(try await h.result(plain)["renditions"]?[0]?["key"]?.string)
        let made = try #require(await h.store.get(key))
        #expect(try [UInt8](Data(contentsOf: URL(fileURLWithPath: folder.path + "/picture-20x15.png"))) == made.bytes)
        #expect(try await h.counts()["total"]?.int == 1)
        // Asked for again it is saved again, of what was drawn before.
        try FileManager.default.removeItem(atPath: folder.path + "/picture-20x15.png")
        let again = try await h.submit(request("{stem}-{width}x{height}.{extension}")) { $0.readResults = false }
        try await h.runOne()
        #expect(try await h.result(again)["renditions"]?[0]?["saved"]?["name"] == "picture-20x15.png" && files.count == 2)
    }

    @Test @Loop func `what cannot be saved fails alone, and says why`() async throws {
        let h = try await WorkerHarness(features: saving("p=file://\(folder.path)"))
        try Data("theirs".utf8).write(to: URL(fileURLWithPath: folder.path + "/a"))
        func submit(_ place: String, _ replace: JSON) async throws -> String {
            try await h.submit(["url": "data:,words", "as": "bytes", "saveTo": ["place": .string(place), "name": "a", "replace": replace]])
        }
        let (taken, unknown, kept) = (try await submit("p", false), try await submit("q", true), try await submit("p", "keep"))
        try await h.runOne()
        #expect(try await h.failure(taken).name == .storeFailed)
        let failure = try await h.failure(unknown)
        #expect(failure.name == .denied && failure.details["place"] == "q" && failure.message.contains("--places"))
        #expect(try await h.result(kept)["renditions"]?[0]?["saved"] == ["place": "p", "name": "a", "kept": true] && text("a") == "theirs")
        let replaced = try await submit("p", true)
        try await h.runOne()
        #expect(try await h.result(replaced)["renditions"]?[0]?["bytes"] == 5 && text("a") == "words" && files == ["a"])
        #expect(h.budget.used == 0)
    }

    @Test @Loop func `a bucket is a place like a folder`() async throws {
        let server = try await S3Server()
        let h = try await WorkerHarness(features: saving("p=\(server.url("out"))", server.environment))
        let credentials = try #require(S3Credentials(environment: server.environment))
        guard case .bucket(let address) = try SettingType.places.parse("p=\(server.url("out"))")[0].location else { throw TestFailure("no bucket") }
        let bucket = S3Bucket(address, credentials, called: "The bucket")
        func save(_ words: String, _ replace: JSON) async throws -> String {
            let receipt = try await h.submit([
                "url": .string("data:text/plain,\(words)"), "as": "bytes", "saveTo": ["place": "p", "name": "a/{stem}.txt", "replace": replace],
            ]) { $0.readResults = false }
            try await h.runOne()
            return receipt
        }
        #expect(try await h.result(save("one", false))["renditions"]?[0]?["saved"] == ["place": "p", "name": "a/data.txt"])
        #expect(try await h.result(save("one", false))["renditions"]?[0]?["saved"]?["kept"] == nil)
        #expect(try await h.failure(save("two", false)).name == .storeFailed)
        #expect(try await h.result(save("two", "keep"))["renditions"]?[0]?["saved"]?["kept"] == true)
        #expect(try await bucket.send("GET", "out/a/data.txt")?.body == Array("one".utf8))
        _ = try await h.result(save("three", true))
        let found = try await bucket.send("GET", "out/a/data.txt")
        #expect(found?.body == Array("three".utf8) && found?.head.header("content-type") == "text/plain")
    }
}
