import TintypeCore

extension MethodCatalogue {
    private static let receipt = ParameterDescription("receipt", ImageRequest.receiptType, required: true, "The receipt's id.")

    static let receiptMethods: [MethodDescription] = [
        MethodDescription(
            "receipt.get",
            "Shows the state of a receipt. This connection gets the end from now on, and owns the receipt if its clients have gone.",
            [
                receipt,
                ParameterDescription("wait", .number(0...3600), default: 0, "Seconds to wait for the end."),
            ], role: .load, result: "`{receipt, state, position?, progress?, attempts, worker?}`, or `{receipt, state, result?, error?}` after the end",
            errors: [.unknownReceipt, .unavailable]),
        MethodDescription(
            "receipt.cancel", "Cancels a receipt. The fetch goes on while other receipts want it. A repeated call is harmless.",
            [
                ParameterDescription("receipt", ImageRequest.receiptType, "One receipt's id."),
                ParameterDescription("receipts", .array(of: ImageRequest.receiptType, count: 1...1000), "Several ids, instead of `receipt`."),
            ], role: .load,
            result: "`{cancelled, reason?: \"finished\"|\"unknown\"}`, or `{results: [{receipt, cancelled, reason?}]}` for many", errors: [.unavailable]),
        MethodDescription(
            "receipt.pause",
            "Pauses a receipt until it is resumed. Its download stops if no other receipt wants it. The downloaded bytes are kept as of a broken download. "
                + "A paused receipt holds no place in its queue. A shared download continues, and the paused receipt gets no progress. A source that is loaded "
                + "already is made, and the receipt ends. The deadline goes on. Repeating it is harmless.",
            [receipt], role: .load, result: "`{state: \"paused\"}`", errors: [.unknownReceipt, .unavailable]),
        MethodDescription(
            "receipt.resume", "Resumes a paused receipt at its old place. Repeating it is harmless.",
            [receipt], role: .load, result: "`{state}`", errors: [.unknownReceipt, .unavailable]),
        MethodDescription(
            "receipt.setPriority", "Changes the priority of a receipt. Its fetch gets the highest priority among its live receipts.",
            [receipt, ParameterDescription("priority", ImageRequest.priorityType, required: true, "The new priority.")],
            role: .load,
            result: "`{priority}` of the fetch", errors: [.unknownReceipt, .unavailable]),
    ]
}
