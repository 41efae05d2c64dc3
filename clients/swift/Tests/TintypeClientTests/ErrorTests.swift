import Foundation
import Testing

@testable import TintypeClient

/// The error of the client, and answers that throw it.
@Suite struct ErrorTests {
    @Test func pure_anErrorObjectIsRead() throws {
        let error = try TintypeError(json: [
            "code": 1050, "message": "full",
            "data": [
                "name": "overloaded", "phase": "admission", "retryable": true, "retryAfter": 2, "attempts": 3,
                "causes": [["name": "dns"], ["name": "httpStatus", "status": 503]],
            ],
        ])
        #expect(error.name == .overloaded)
        #expect(error.phase == .admission)
        #expect(error.isRetryable)
        #expect(error.retryAfter == 2)
        #expect(error.attempts == 3)
        #expect(error.causes == [Cause(name: .dns), Cause(name: .httpStatus, status: 503)])
        #expect(error.code == 1050)
        #expect("\(error)" == "overloaded: full")
        #expect((error as any Error).localizedDescription == "overloaded: full")
        #expect(try TintypeError(json: error.json) == error)
    }

    @Test func pure_anErrorSaysOtherwiseThanItsName() throws {
        let error = try TintypeError(json: ["code": 1016, "message": "slow", "data": ["name": "timeout", "retryable": false]])
        #expect(error.name == .timeout)
        #expect(ErrorName.timeout.isRetryable)
        #expect(!error.isRetryable)
        #expect(TintypeError(.timeout, "slow").isRetryable)
    }

    @Test func pure_anErrorOfANewerServiceIsKept() throws {
        let error = try TintypeError(json: ["code": 1999, "message": "m", "data": ["name": "novel", "phase": "moon"]])
        #expect(error.name == .other("novel"))
        #expect(error.phase == .other("moon"))
        #expect(!error.isRetryable)
        #expect(try TintypeError(json: ["code": 1010, "message": "m"]).name == .httpStatus)
        #expect(try TintypeError(json: ["code": 4, "message": "m"]).name == .internal)
        #expect(try TintypeError(json: [:]).message == "no message")
    }

    @Test func pure_theNamesHaveTheirCodes() {
        #expect(ErrorName(code: 1010) == .httpStatus)
        #expect(ErrorName(code: -32603) == .internal)
        #expect(ErrorName(code: 1) == nil)
        #expect(Set(ErrorName.allCases.map(\.code)).count == ErrorName.allCases.count)
        #expect(ErrorName.other("x").code == nil)
    }

    // MARK: - Answers

    /// Answers each call with the next of some values, and notes the calls.
    private actor Answers: MethodCaller {
        private(set) var calls: [(method: String, params: JSON)] = []
        private var answers: [JSON]

        init(_ answers: JSON...) { self.answers = answers }

        func call(_ method: String, _ params: JSON) async throws(TintypeError) -> JSON {
            calls.append((method, params))
            return answers.removeFirst()
        }
    }

    @Test func pure_aMethodSendsWhatItWasGiven() async throws {
        let answers = Answers(
            ["retried": 2], [["id": "w", "host": "h", "slots": 8, "running": 1, "state": "quiet"]], ["memory": ["count": 1, "bytes": 2, "capacity": nil]])
        let methods = ServiceMethods(answers)
        #expect(try await methods.deadRetry(queue: "default", ids: ["d-1", "d-2"]) == 2)
        #expect(try await methods.workersList().first?.state == .quiet)
        #expect(try await methods.cacheStats(tier: .memory)["memory"] == TierInfo(count: 1, bytes: 2))
        let calls = await answers.calls
        #expect(calls.map(\.method) == ["dead.retry", "workers.list", "cache.stats"])
        #expect(calls.map(\.params) == [["queue": "default", "ids": ["d-1", "d-2"]], [:], ["tier": "memory"]])
    }

    @Test func pure_aRequestStandsBesideTheOtherParameters() async throws {
        let answers = Answers(["removed": 1], ["key": "k", "bytes": 2], ["group": "g"])
        let methods = ServiceMethods(answers)
        #expect(try await methods.blacklistRemove(ImageRequest("u"), ids: ["b"]) == 1)
        #expect(try await methods.cachePut(data: "AAE=", key: "k").bytes == 2)
        #expect(try await methods.batchStart(items: [ImageRequest("a"), ImageRequest("b")], mode: .settleAll, concurrency: 8).group == "g")
        #expect(
            await answers.calls.map(\.params) == [
                ["url": "u", "ids": ["b"]], ["data": "AAE=", "key": "k"], ["items": [["url": "a"], ["url": "b"]], "mode": "settleAll", "concurrency": 8],
            ])
    }

    @Test func pure_anAnswerOfAnotherShapeIsAnError() async throws {
        let methods = ServiceMethods(Answers(["retried": "two"], ["name": "q"]))
        await #expect { try await methods.deadRetry(queue: "q", ids: []) } throws: { error in
            let error = error as? TintypeError
            return error?.name == .internal && error?.isRetryable == false
                && error?.message == "the answer of dead.retry is not understood: `retried` should be a whole number, but is a text"
        }
        await #expect { try await methods.queueGet(queue: "q") } throws: { ($0 as? TintypeError)?.message.contains("`order` should be there") == true }
    }
}
