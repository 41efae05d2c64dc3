import TintypeCore

extension MethodCatalogue {
    private static let fetchErrors: [ErrorName] = [
        .invalidURL, .denied, .forbidden, .blacklisted, .httpStatus, .contentType, .jsonInvalid, .textInvalid, .dns, .connect, .tls, .timeout, .connectionLost,
        .authFailed,
        .tooManyRedirects, .badImageData,
        .unsupportedFormat, .limitExceeded, .transformFailed, .encodeFailed, .decryptFailed, .storeFailed, .cacheMiss, .cancelled, .superseded,
        .deadlineExceeded,
        .workerLost, .overloaded, .unavailable, .unknownQueue,
    ]

    static let imageMethods: [MethodDescription] = [
        MethodDescription(
            "image.load", "Loads an image and answers when the image is there. With `progress`, events arrive before the answer.",
            ImageRequest.parameters,
            role: .load, requests: .itself,
            result:
                "ImageResult",
            errors: fetchErrors),
        MethodDescription(
            "image.submit",
            "Queues an image and answers at once; the end comes as a terminal `image.event`. `receipt.get` has the result for 24 hours, or for "
                + "ten minutes if Redis held more than half of --max-queue-bytes. When the client disconnects, a receipt goes on for 30 seconds; with "
                + "`detached`, for 24 hours.",
            ImageRequest.parameters, role: .load, requests: .itself, result: "`{receipt, state, position?, result?, error?}`",
            errors: [.invalidURL, .denied, .forbidden, .cacheMiss, .overloaded, .unavailable, .unknownQueue]),
        MethodDescription(
            "image.probe", "Describes a source. Reads no more of the body than the description needs.",
            ImageRequest.probeParameters, role: .load, requests: .itself, result: "`{source: SourceInfo, description}`", errors: fetchErrors),
        MethodDescription(
            "request.explain",
            "Shows what `image.load` would do with a request, and whether the client, a rule or a default decides. Sends no request, queues nothing and "
                + "shows no secret.",
            ImageRequest.parameters, role: .admin, requests: .itself,
            result:
                "`{urls: [{url, rules, inKeys?, access?: {value, by}}], headers: [{name, by}], omittedHeaders: [{name, by}], ttl?: {min?, max?, by}, "
                + "response?: {by}, tlsProfile?: {value, by}, options: [{name, value?, by}], source, renditions: [{name, key}], queue, priority}`. "
                + "`url` is the URL as it is requested, `rules` are the rules that apply, `inKeys` stands for the URL in keys. "
                + "`by` is request, default, or the place of a rule in its file.",
            errors: [.invalidURL, .denied, .forbidden]),
        MethodDescription(
            "formats.list",
            "Lists the formats that this build decodes and encodes, its fonts, and its operations with their parameters. HDR pictures (PQ and HLG) are "
                + "tone-mapped to sRGB: PNGs by their cICP, AVIFs and HEIFs without a color profile by their numbers. The curve is that of ITU-R BT.2390, from "
                + "1000 to 203 cd/m². Gain maps are dropped.",
            role: .load,
            result: "`{decode: [format], encode: [format], fonts: [name], operations: [{name, summary, parameters}]}`"),
    ]
}
