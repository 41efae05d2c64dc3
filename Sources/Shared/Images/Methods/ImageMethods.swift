import TintypeCore

extension MethodCatalogue {
    private static let fetchErrors: [ErrorName] = [
        .invalidURL, .denied, .forbidden, .blacklisted, .httpStatus, .contentType, .jsonInvalid, .dns, .connect, .tls, .timeout, .connectionLost, .authFailed,
        .tooManyRedirects, .badImageData,
        .unsupportedFormat, .limitExceeded, .transformFailed, .encodeFailed, .decryptFailed, .storeFailed, .cacheMiss, .cancelled, .superseded,
        .deadlineExceeded,
        .workerLost, .overloaded, .unavailable, .unknownQueue,
    ]

    static let imageMethods: [MethodDescription] = [
        MethodDescription(
            "image.load", "Loads an image and answers when it is there. Events of the receipt arrive meanwhile if `progress` is set.",
            ImageRequest.parameters,
            role: .load, requests: .itself,
            result:
                "ImageResult; of `as: json` with the body as `json`; what stood in for it has `from: fallback` and the cause as `error`; `source.scale` is 2 or 3 where the file's name in the URL ends in `@2x` or `@3x`",
            errors: fetchErrors),
        MethodDescription(
            "image.submit",
            "Queues an image and answers at once; ends in a terminal `image.event` and is kept 24 hours for `receipt.get`, or "
                + "ten minutes if Redis was more than half full when it came.",
            ImageRequest.parameters, role: .load, requests: .itself, result: "`{receipt, state, position?, result?, error?}`",
            errors: [.invalidURL, .denied, .forbidden, .cacheMiss, .overloaded, .unavailable, .unknownQueue]),
        MethodDescription(
            "image.probe", "Tells what a source is, reading no more of its body than that needs.",
            ImageRequest.probeParameters, role: .load, requests: .itself, result: "`{source: SourceInfo, description}`", errors: fetchErrors),
        MethodDescription(
            "request.explain",
            "What would become of a request of `image.load`, and whether its client, a rule or nobody says so. Nobody is asked, nothing is queued, and no secret is told.",
            ImageRequest.parameters, role: .admin, requests: .itself,
            result:
                "`{urls: [{url, rules, inKeys?, access?: {value, by}}], headers: [{name, by}], omittedHeaders: [{name, by}], ttl?: {min?, max?, by}, response?: {by}, tlsProfile?: {value, by}, options: [{name, value?, by}], "
                + "source, renditions: [{name, key}], queue, priority}`; `url` as it is asked for, `rules` those that are about it, `inKeys` what stands for it in keys; "
                + "`by` is request, default, or a rule's place in its file",
            errors: [.invalidURL, .denied, .forbidden]),
        MethodDescription(
            "formats.list",
            "The formats this build decodes and encodes, the fonts it draws text with, and its operations with their parameters. Of "
                + "what is brighter than white none is decoded: PNGs whose cICP says PQ or HLG, whatever profile they have, and AVIFs and HEIFs that say so in numbers "
                + "and have no profile, end as unsupportedFormat.",
            role: .load,
            result: "`{decode: [format], encode: [format], fonts: [name], operations: [{name, summary, parameters}]}`"),
    ]
}
