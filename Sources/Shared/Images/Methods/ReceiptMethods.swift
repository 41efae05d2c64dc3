import TintypeCore

extension MethodCatalogue {
    private static let receipt = ParameterDescription("receipt", ImageRequest.receiptType, required: true, "The receipt's id.")

    static let receiptMethods: [MethodDescription] = [
        MethodDescription(
            "receipt.get",
            "What has become of a receipt. This connection is told of its end from now on; if those who waited for it have gone, it belongs to this one.",
            [
                receipt,
                ParameterDescription("wait", .number(0...3600), default: 0, "Seconds to wait for the end; the answer tells the state then."),
            ], role: .load, result: "`{receipt, state, result?, error?, progress?}`", errors: [.unknownReceipt, .unavailable]),
        MethodDescription(
            "receipt.cancel", "Withdraws interest. The work goes on while somebody else is interested. Repeating it is harmless.",
            [
                ParameterDescription("receipt", ImageRequest.receiptType, "One receipt's id."),
                ParameterDescription("receipts", .array(of: ImageRequest.receiptType, count: 1...1000), "Or many."),
            ], role: .load,
            result: "`{cancelled, reason?: \"finished\"|\"unknown\"}`, or `{results: [{receipt, cancelled, reason?}]}` for many", errors: [.unavailable]),
        MethodDescription(
            "receipt.setPriority", "Changes a receipt's priority; its fetch moves to the highest priority among its live receipts.",
            [receipt, ParameterDescription("priority", ImageRequest.priorityType, required: true, "−10…10, or low, normal, high.")],
            role: .load,
            result: "`{priority}` of the fetch", errors: [.unknownReceipt, .unavailable]),
    ]
}
