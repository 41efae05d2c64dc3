import TintypeCore

extension MethodCatalog {
    private static let fetchErrors: [ErrorName] = [
        .invalidURL, .denied, .forbidden, .blacklisted, .httpStatus, .contentType, .jsonInvalid, .textInvalid, .dns, .connect, .tls, .timeout, .connectionLost,
        .authFailed,
        .tooManyRedirects, .badImageData,
        .unsupportedFormat, .limitExceeded, .transformFailed, .encodeFailed, .decryptFailed, .storeFailed, .cacheMiss, .cancelled, .superseded,
        .deadlineExceeded,
        .workerLost, .overloaded, .unavailable, .unknownQueue,
    ]
    private static let receipt = ParameterDescription("receipt", ImageRequest.receiptType, required: true, "The receipt's id.")

    /// Images, and the receipts for them.
    static let imageMethods: [MethodDescription] = [
        MethodDescription(
            "image.load", "Loads an image and answers when the image is there. With `progress`, events arrive before the answer.",
            ImageRequest.parameters,
            role: .load, requests: .itself,
            result: "[ImageResult](#imageresult)", errors: fetchErrors,
            example: MethodExample(
                #"{"url":"https://example.org/photo.png","transform":[{"op":"resize","width":320}],"output":{"format":"webp"}}"#,
                #"{"from":"remote","state":"succeeded","source":{"format":"png","width":1200,"height":900},"#
                    + #""renditions":[{"name":"default","format":"webp","width":320,"height":240,"quality":80,"frames":1}]}"#,
                isShortened: true)),
        MethodDescription(
            "image.submit",
            "Queues an image and answers at once; the end comes as a terminal `image.event`.",
            ImageRequest.parameters, role: .load, requests: .itself, result: "`{receipt, state, position?, durable?, result?, error?}`",
            errors: [.invalidURL, .denied, .forbidden, .cacheMiss, .overloaded, .unavailable, .unknownQueue],
            example: MethodExample(
                #"{"url":"https://example.org/beach.png","receipt":"trip-1","transform":[{"op":"resize","width":64}]}"#,
                #"{"receipt":"trip-1","state":"queued","position":0}"#)),
        MethodDescription(
            "image.probe", "Describes a source. Reads no more of the body than the description needs.",
            ImageRequest.probeParameters, role: .load, requests: .itself, result: "`{source, description}`; `source` is a [SourceInfo](#sourceinfo)",
            errors: fetchErrors,
            example: MethodExample(
                #"{"url":"https://example.org/photo.png","describe":["animation"]}"#,
                #"{"source":{"status":200,"format":"png","width":1200,"height":900,"frames":1,"hasAlpha":false},"description":{"animation":null}}"#,
                isShortened: true)),
        MethodDescription(
            "request.explain",
            "Shows what `image.load` would do, and whether the client, a rule or a default decides. Sends and queues nothing, and shows no secret.",
            ImageRequest.parameters, role: .admin, requests: .itself,
            result:
                "`{urls: [{url, rules?, inKeys?, access?: {value, by}}], headers: [{name, by}], omittedHeaders: [{name, by}], ttl?: {min?, max?, by}, "
                + "response?: {by}, tlsProfile?: {value, by}, options: [{name, value?, by}], source, renditions: [{name, key}], queue, priority}`. "
                + "`url` is the URL as requested, `rules` apply to it, and `inKeys` stands for it in keys. "
                + "`by` is request, default, or the place of a rule in its file.",
            errors: [.invalidURL, .denied, .forbidden],
            example: MethodExample(
                #"{"url":"https://example.org/photo.png","output":{"format":"webp"}}"#,
                #"{"urls":[{"url":"https://example.org/photo.png"}],"options":[{"name":"queue","value":"default","by":"default"}],"priority":0}"#,
                isShortened: true)),
        MethodDescription(
            "formats.list",
            "Lists the formats that all workers decode, encode, and encode without loss, the fonts, and the operations with their parameters.",
            role: .load,
            result: "`{decode: [format], encode: [format], lossless: [format], fonts: [name], operations: [{name, summary, parameters}]}`",
            example: MethodExample(
                "{}", #"{"decode":["jpeg","png"],"encode":["jpeg","png","webp"],"operations":[{"name":"resize","parameters":[{"name":"width"}]}]}"#,
                isShortened: true)),
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
