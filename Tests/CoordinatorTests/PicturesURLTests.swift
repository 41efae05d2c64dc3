import Foundation
import TestSupport
import Testing
import TintypeCore
import TintypeTransport
import TintypeContracts

@testable import Coordinator
@testable import TintypePictureDoor

/// The URLs that a coordinator signs for its own picture door.
@Suite(.tags(.optimized), .timeLimit(.minutes(1)), .scoped) struct PicturesURLTests {
    private static let request = #"{"url":"http://origin.test/cat.png","transform":[{"op":"resize","width":10}],"output":{"format":"png"}}"#

    @Test @Loop func `a signed URL shows the picture of the request, and the answer has no key`() async throws {
        let folder = try TemporaryFolder("keys")
        let (key, salt) = ("5ec2e7aabbccddee", "5a17aabbccddeeff")
        try Data("\(key) \(salt)\n".utf8).write(to: URL(fileURLWithPath: folder.path + "/keys"))
        let door = try await DoorHarness { ($0.isUnsigned, $0.keys) = (false, folder.path + "/keys") }
        let rpc = try door.harness.client()
        let answer = try await rpc.call("pictures.url", Self.request)
        let path = try #require(answer["path"]?.string, "\(answer)")
        #expect(answer["signed"]?.bool == true && !"\(answer)".contains(key) && !"\(answer)".contains(salt))
        async let load = rpc.call("image.load", Self.request)
        try await door.harness.worker.succeed(try await door.harness.worker.claim())
        #expect(try await load.state == "succeeded")
        // The worker makes nothing again: both name the same result.
        #expect(try await door.get(path).status == 200)
        #expect(try await door.get(path + "x").status == 403)
        // A new pair signs from the moment on at which it is read.
        try Data("aa bb\n".utf8).write(to: URL(fileURLWithPath: folder.path + "/keys"))
        await door.harness.coordinator.reload()
        let next = try #require(try await rpc.call("pictures.url", Self.request)["path"]?.string)
        let (old, new) = (try await door.get(path).status, try await door.get(next).status)
        #expect(next != path && old == 403 && new == 200)
    }

    @Test @Loop func `a door without keys gives an unsigned URL and says so, and what no URL says is refused by its name`() async throws {
        let door = try await DoorHarness()
        let rpc = try door.harness.client()
        let answer = try await rpc.call("pictures.url", Self.request)
        #expect(answer["signed"]?.bool == false && answer["path"]?.string?.hasPrefix("/unsafe/rs:fit:10:0/") == true, "\(answer)")
        let refused = try await rpc.call("pictures.url", #"{"url":"http://origin.test/cat.png","transform":[{"op":"sepia"}]}"#)
        #expect(refused.error?.name == "invalidParams" && "\(refused)".contains("transform[0] (sepia)"), "\(refused)")
        #expect(try await rpc.call("pictures.url", #"{"url":"http://origin.test/cat.png","queue":"bulk"}"#).error?.name == "invalidParams")
        #expect(try await rpc.call("pictures.url", "{}").error?.name == "invalidParams")
    }

    @Test @Loop func `a coordinator without a door says how to open one`() async throws {
        let harness = try await CoordinatorHarness()
        let answer = try await harness.client().call("pictures.url", Self.request)
        #expect(answer.error?.name == "invalidRequest" && "\(answer)".contains("--images"), "\(answer)")
    }
}
