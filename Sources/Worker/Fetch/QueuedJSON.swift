import TintypeCore

extension JSON {
    /// Reads JSON that a coordinator has put into the queue.
    /// - Throws: `internal` if the text is not JSON.
    init(queued text: String) throws(TintypeError) {
        do throws(JSONError) {
            self = try JSON(parsing: text)
        } catch {
            throw TintypeError(.internalError, .queue, "the queue holds text that is not JSON: \(error)", retryable: false)
        }
    }
}
