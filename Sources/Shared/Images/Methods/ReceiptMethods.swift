import TintypeCore

extension MethodCatalog {
    private static let receipt = ParameterDescription("receipt", ImageRequest.receiptType, required: true, "The receipt's id.")

    static let receiptMethods: [MethodDescription] = [
        MethodDescription(
            "receipt.get",
            "Shows the state of a receipt. This connection gets the end from now on, and owns the receipt if its clients have gone.",
            [
                receipt,
                ParameterDescription("wait", .number(0...3600), default: 0, "Seconds to wait for the end."),
            ], role: .load, result: "`{receipt, state, position?, progress?, attempts, worker?}`, or `{receipt, state, result?, error?}` after the end",
            errors: [.unknownReceipt, .unavailable],
            example: MethodExample(
                #"{"receipt":"trip-1","wait":10}"#, #"{"receipt":"trip-1","state":"succeeded","result":{"from":"remote","renditions":[{"width":64}]}}"#,
                isShortened: true)),
        MethodDescription(
            "receipt.cancel", "Cancels a receipt. The fetch goes on while other receipts want it. A repeated call is harmless.",
            [
                ParameterDescription("receipt", ImageRequest.receiptType, "One receipt's id."),
                ParameterDescription("receipts", .array(of: ImageRequest.receiptType, count: 1...1000), "Several ids, instead of `receipt`."),
            ], role: .load,
            result: "`{cancelled, reason?: \"finished\"|\"unknown\"}`, or `{results: [{receipt, cancelled, reason?}]}` for many",
            errors: [.unavailable], example: MethodExample(#"{"receipt":"trip-2"}"#, #"{"cancelled":true}"#)),
        MethodDescription(
            "receipt.pause",
            "Pauses a receipt until it is resumed. Its download stops if no other receipt wants it, and the bytes are kept as of a broken download. "
                + "A shared download continues, and the paused receipt gets no progress. A paused receipt holds no place in its queue, and its deadline "
                + "goes on. A source that is loaded already is made, and the receipt ends. A repeated call is harmless.",
            [receipt], role: .load, result: "`{state}`: paused, or its end", errors: [.unknownReceipt, .unavailable],
            example: MethodExample(#"{"receipt":"trip-2"}"#, #"{"state":"paused"}"#)),
        MethodDescription(
            "receipt.resume", "Resumes a paused receipt at its old place. A repeated call is harmless.",
            [receipt], role: .load, result: "`{state}`", errors: [.unknownReceipt, .unavailable],
            example: MethodExample(#"{"receipt":"trip-2"}"#, #"{"state":"queued"}"#)),
        MethodDescription(
            "receipt.setPriority", "Changes the priority of a receipt. Its fetch gets the highest priority among its live receipts.",
            [receipt, ParameterDescription("priority", ImageRequest.priorityType, required: true, "The new priority.")],
            role: .load,
            result: "`{priority}` of the fetch", errors: [.unknownReceipt, .unavailable],
            example: MethodExample(#"{"receipt":"trip-2","priority":"high"}"#, #"{"priority":4}"#)),
    ]
}
