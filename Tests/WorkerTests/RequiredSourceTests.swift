import Foundation
import TestSupport
import Testing
import TintypeCore
import TintypeImages
import TintypeTransport

/// Sources that do not meet the requirements of a request.
@Suite(.timeLimit(.minutes(1)), .scoped) struct RequiredSourceTests {
    @Loop private func run(_ h: WorkerHarness, _ path: String, _ require: JSON? = nil, _ mode: CacheUse.Mode = .normal) async throws -> String {
        var request: JSONObject = ["url": .string(h.url(path)), "transform": [["op": "resize", "width": 8]]]
        request["require"] = require
        var use = CacheUse()
        (use.mode, use.requirement) = (mode, Requirement(require))
        let receipt = try await h.submit(.object(request), cache: use)
        try await h.runOne()
        return receipt
    }

    @Test @Loop func `a new source that misses a requirement is reported, and others are not affected`() async throws {
        let h = try await WorkerHarness()
        let path = "/picture.png?size=64x48"
        let failure = try await h.failure(run(h, path, ["minWidth": 65, "animated": false]))
        #expect(failure.name == .badImageData && failure.details["required"] == ["animated": false, "minWidth": 65], "\(failure)")
        #expect(failure.details["found"]?["width"] == 64 && failure.details["found"]?["height"] == 48)
        let plain = try await h.result(run(h, path))
        #expect(plain["from"] == "sources", "the source is kept, and not on the blacklist")
        #expect(try await h.result(run(h, path, ["minWidth": 64]))["from"] == "sources")
        #expect(try await h.counts()["total"] == 1)
    }

    @Test @Loop func `a cached source that misses a requirement is requested again`() async throws {
        let (folder, file) = (try TemporaryFolder("required"), "a.png")
        let place = URL(fileURLWithPath: folder.path + "/" + file)
        try Data(TestPictures.encoded(TestPictures.quarters(64, 48), .png)).write(to: place)
        let h = try await WorkerHarness(root: folder.path)
        #expect(try await h.result(run(h, "/" + file))["from"] == "remote")
        #expect(try await h.failure(run(h, "/" + file, ["minWidth": 100], .only)).details["reason"] == "unfit")
        #expect(try await h.failure(run(h, "/" + file, ["minWidth": 100])).name == .badImageData, "its origin has no other version")
        #expect(try await h.counts()["total"] == 2)
        try Data(TestPictures.encoded(TestPictures.quarters(200, 100), .png)).write(to: place)
        let changed = try await h.result(run(h, "/" + file, ["minWidth": 100]))
        #expect(changed["from"] == "remote" && changed["source"]?["width"] == 200, "\(changed)")
        #expect(try await h.counts()["total"] == 3)
    }

    @Test(arguments: [("anim.gif", true), ("still.png", false)]) @Loop func `an animation is recognized before it is decoded`(file: String, moves: Bool)
        async throws
    {
        let folder = try TemporaryFolder("moving")
        let red = [255.0, 0, 0]
        let picture =
            moves
            ? try TestPictures.animation(16, 16, [red, [0, 0, 255]], delays: [100, 100], loop: 0, .gif)
            : try TestPictures.encoded(TestPictures.quarters(16, 16, alpha: true), .png)
        try Data(picture).write(to: URL(fileURLWithPath: folder.path + "/" + file))
        let h = try await WorkerHarness(root: folder.path)
        for wanted in [true, false] {
            let receipt = try await run(h, "/" + file, ["animated": .bool(wanted)])
            if wanted == moves {
                #expect(try await h.result(receipt)["state"] == "succeeded")
            } else {
                #expect(try await h.failure(receipt).details["found"]?["animated"] == .bool(moves))
            }
        }
        if !moves { #expect(try await h.result(run(h, "/" + file, ["alpha": true]))["state"] == "succeeded") }
    }
}
