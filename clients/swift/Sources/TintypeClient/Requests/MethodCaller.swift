/// Calls methods of the service.
public protocol MethodCaller: Sendable {
    /// Calls one method, and returns its result.
    /// - Parameter params: an object of JSON.
    func call(_ method: String, _ params: JSON) async throws(TintypeError) -> JSON
}

extension MethodCaller {
    /// Calls one method, and reads its result.
    /// - Throws: ``TintypeError``; with the name `internal` when the result has another shape.
    /// - Parameter request: has its members beside the others.
    func call<Result: JSONDecodable>(
        _ method: String, request: ImageRequest? = nil, _ params: Members = [:]
    ) async throws(TintypeError) -> Result {
        let answer = try await call(method, JSON(params, beside: request))
        do throws(AnswerFault) {
            return try Result(json: answer)
        } catch {
            throw TintypeError(answerOf: method, error)
        }
    }

    /// Calls one method, and reads the only member of its result.
    func call<Value: JSONDecodable>(
        _ method: String, request: ImageRequest? = nil, _ params: Members = [:], member: String
    ) async throws(TintypeError) -> Value {
        let answer = try await call(method, JSON(params, beside: request))
        do throws(AnswerFault) {
            var members = try MemberReader(answer)
            return try members.require(member)
        } catch {
            throw TintypeError(answerOf: method, error)
        }
    }
}

extension TintypeError {
    /// The error of an answer that has another shape. The same request would get the same answer.
    init(answerOf method: String, _ fault: AnswerFault) {
        self.init(.internal, "the answer of \(method) is not understood: \(fault)", isRetryable: false)
    }
}
