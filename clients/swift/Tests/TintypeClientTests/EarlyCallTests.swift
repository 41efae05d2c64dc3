import Testing

@testable import TintypeClient

/// Calls of a task that arrive before its submit does.
@Suite struct EarlyCallTests {
    /// Does not know a receipt until it was asked for it twice, and answers no submit.
    private static func late() -> ScriptedCoordinator {
        let asked = Counter()
        return ScriptedCoordinator { peer, message in
            guard message["method"]?.stringValue?.hasPrefix("receipt.") == true else { return }
            if asked.next() < 3 { return peer.fail(message, "unknownReceipt", 1060) }
            peer.answer(message, ["receipt": "r", "state": "paused", "priority": 7])
        }
    }

    @Test func aCallThatOvertakesItsSubmitIsRepeated() async throws {
        let coordinator = Self.late()
        let tintype = try Tintype(coordinator.address)
        let task = tintype.submit(from: "http://h/")
        try await task.setPriority(7)
        #expect(coordinator.asked("receipt.setPriority").count == 3)
        #expect(try await task.info().state == .paused)
        #expect(coordinator.asked("receipt.get").count == 1)
    }

    @Test func aPriorityThatIsSetArrives() async throws {
        let coordinator = Self.late()
        let tintype = try Tintype(coordinator.address)
        let task = tintype.submit(from: "http://h/")
        task.priority = .high
        try await eventually("the third call") { coordinator.asked("receipt.setPriority").count == 3 }
        #expect(coordinator.asked("receipt.setPriority").allSatisfy { $0["params"]?["priority"] == "high" })
    }

    @Test func aReceiptOfAnotherClientThatIsNotKnownIsAnErrorAtOnce() async throws {
        let coordinator = ScriptedCoordinator { peer, message in peer.fail(message, "unknownReceipt", 1060) }
        let tintype = try Tintype(coordinator.address)
        let error = await #expect(throws: TintypeError.self) { try await tintype.task("r").setPriority(7) }
        #expect(error?.name == .unknownReceipt)
        #expect(coordinator.asked("receipt.setPriority").count == 1)
    }
}
