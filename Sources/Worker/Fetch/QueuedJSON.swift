import TintypeCore

extension JSON {
    /// Reads JSON that a coordinator has put into the queue.
    /// - Throws: `internal` when it is none.
    init(queued text: String) throws(TintypeError) {
        do throws(JSONError) {
            self = try JSON(parsing: text)
        } catch {
            throw TintypeError(.internalError, .queue, "what stands in the queue is not JSON: \(error)", retryable: false)
        }
    }
}
