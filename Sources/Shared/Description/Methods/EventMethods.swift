extension MethodCatalogue {
    static let eventMethods: [MethodDescription] = [
        MethodDescription(
            "events.subscribe", "Sends events of others to this connection: `image.event` of receipts or of a whole queue (terminal ones), `workers.changed`.",
            [
                ParameterDescription("receipts", .array(of: ImageRequest.receiptType, count: 1...1000), "All events of these receipts."),
                ParameterDescription("queue", ImageRequest.queueType, "The terminal events of this queue."),
                ParameterDescription("workers", .boolean, default: false, "When a worker comes, goes or changes its state."),
            ], result: "`{subscription}`"),
        MethodDescription(
            "events.unsubscribe", "Ends a subscription of this connection.",
            [ParameterDescription("subscription", .string(maxLength: 64), required: true, "What `events.subscribe` answered.")],
            result: "`{removed}`"),
    ]
}
