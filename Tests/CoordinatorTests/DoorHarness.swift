import TestSupport
import Testing
import TintypeContracts
import TintypeCore
import TintypeSettings
import TintypeTransport

@testable import Coordinator
@testable import TintypePictureDoor

/// A coordinator with a picture door, and what it answers.
@Loop final class DoorHarness {
    let harness: CoordinatorHarness
    let port: UInt16

    init(_ change: (inout PictureDoorSettings) -> Void = { _ in }, core: (inout CoordinatorSettings) -> Void = { _ in }) async throws {
        harness = try await CoordinatorHarness(features: Self.features(change), change: core)
        guard case .tcp(_, let port)? = harness.coordinator.addresses["images"] else { throw TestFailure("no picture door") }
        self.port = port
        let harness = harness
        try await harness.until { harness.coordinator.readiness.obstacle == nil }
    }

    /// All features, with a picture door.
    static func features(_ change: (inout PictureDoorSettings) -> Void) -> [Feature.Maker] {
        Feature.all {
            ($0.pictureDoor.address, $0.pictureDoor.isUnsigned) = (.tcp(host: "127.0.0.1", port: 0), true)
            change(&$0.pictureDoor)
        }
    }

    func get(_ path: String, _ headers: [String] = [], method: String = "GET") async throws -> RawClient.Answer {
        try await RawClient.ask(port: port, method, path, ["Host: 127.0.0.1"] + headers)
    }

    /// Gets a picture that the worker makes.
    func made(_ path: String, _ headers: [String] = [], bytes: [UInt8] = Array("picture".utf8)) async throws -> RawClient.Answer {
        async let answer = get(path, headers)
        try await harness.worker.succeed(try await harness.worker.claim(), bytes: bytes)
        return try await answer
    }

    /// Has the picture made for a client of JSON-RPC, so that this coordinator knows the result and has read no byte of it.
    func load() async throws {
        let rpc = try harness.client()
        let params = #"{"url":"http://origin.test/cat.png","transform":[{"op":"resize","width":10}],"output":{"metadata":"copyright"}}"#
        async let load = rpc.call("image.load", params)
        try await harness.worker.succeed(try await harness.worker.claim())
        #expect(try await load.state == "succeeded")
    }

    func count(_ outcome: DoorOutcome) -> Int { value(of: "tintype_door_requests_total{outcome=\"\(outcome.rawValue)\"}") }

    /// Returns a value of the metrics; 0 if they do not have it.
    /// - Parameter metric: Name and labels, as the metrics write them.
    func value(of metric: String) -> Int {
        let line = harness.coordinator.core.process.metrics.text().split(separator: "\n").first { $0.hasPrefix(metric + " ") }
        return line?.split(separator: " ").last.flatMap { Int($0) } ?? 0
    }
}
