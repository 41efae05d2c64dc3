extension TintypeError {
    /// Returns an error that the client itself makes.
    static func local(_ name: ErrorName, _ message: String, more: JSONObject = [:]) -> TintypeError {
        TintypeError(name, message, data: more)
    }

    /// Reads an error object of JSON-RPC, whatever its shape.
    init(body: JSON) {
        do throws(AnswerFault) { self = try TintypeError(json: body) } catch { self = .local(.internal, "an error without members came") }
    }

    /// The error of a call whose task was cancelled.
    static var withdrawn: TintypeError {
        .local(.cancelled, "the task that waits was cancelled", more: ["reason": "withdrawn"])
    }

    /// The error of calls to a client that was closed.
    static var closed: TintypeError {
        .local(.cancelled, "the client was closed", more: ["reason": "closed"])
    }

    /// The error of a call that has no answer in time.
    static func late(_ what: String) -> TintypeError {
        .local(.deadlineExceeded, "\(what) had no answer in time; try again")
    }

    /// Adds the receipt, if the service has not named one.
    func of(_ receipt: String?) -> TintypeError {
        var error = self
        if error.receipt == nil { error.receipt = receipt }
        return error
    }
}
