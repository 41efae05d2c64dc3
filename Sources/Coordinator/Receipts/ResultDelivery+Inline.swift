package import TintypeCore
package import TintypeImages
import TintypeQueue
import TintypeStores
import TintypeTransport

/// The bytes of results inside answers: images in base64, and documents as they are.
extension ResultDelivery {
    /// Adds the inline bytes of an outcome when there is room for them.
    /// - Parameter then: Writes the answer.
    func fill(_ outcome: Outcome, _ use: ResultUse, for order: (any AnswerOrder)?, then: @escaping @Loop (Outcome) -> Void) {
        guard use.needsBytes, let renditions = outcome.result?.renditions else { return then(outcome) }
        /// Returns the bytes that the answer needs if they are more than there is room for.
        let make: @Loop (Int) async throws(TintypeError) -> Int? = { [self] room async throws(TintypeError) in
            var whole = outcome
            if let kind = use.terms.document {
                switch try await document(of: renditions, as: kind, within: room, inMemory: use.keepsInMemory) {
                case .answer(let document): whole.result?[kind] = document
                case .longer(let bytes): return bytes
                case nil: break
                }
            }
            if use.terms.delivery == .inline { whole.data = try await data(of: renditions, inMemory: use.keepsInMemory) }
            then(whole)
            return nil
        }
        scope.run("inline") {
            do throws(TintypeError) {
                let bytes = Self.size(renditions)
                try Self.checkInline(bytes)
                guard let order else {
                    _ = try await make(.max)
                    return
                }
                var room: Int? = Base64.length(of: bytes)
                while let bytes = room {
                    room = try await order.inTurn(bytes, isKnown: true) { () async throws(TintypeError) in try await make(bytes) }
                }
            } catch {
                then(Outcome(failing: error, sequence: outcome.sequence))
            }
        }
    }

    /// Returns the bytes of all renditions, at most `WireNumber.most`. A worker may name any number of renditions of any size.
    package nonisolated static func size(_ renditions: [ImageResult.Rendition]) -> Int {
        // bounded: the sum after each step.
        renditions.reduce(0) { min($0 + ($1.bytes ?? 0), Int(WireNumber.most)) }
    }

    /// - Throws: `limitExceeded` when the bytes are too many for one answer.
    nonisolated static func checkInline(_ total: Int) throws(TintypeError) {
        if total > inlineLimit { throw tooLong(total, inlineLimit) }
    }

    private nonisolated static func tooLong(_ bytes: Int, _ most: Int, _ note: String = "") -> TintypeError {
        TintypeError(
            .limitExceeded, .deliver, "\(bytes) bytes\(note) are too many for inline delivery: use deliver: reference",
            details: ["limit": "inline", "value": JSON(bytes), "allowed": JSON(most)])
    }

    /// Returns the bytes of each rendition in base64.
    /// - Parameter inMemory: Whether the bytes stay in the memory tier after they were read.
    package func data(of renditions: [ImageResult.Rendition], inMemory: Bool) async throws(TintypeError) -> [JSON] {
        try Self.checkInline(Self.size(renditions))
        var data: [JSON] = []
        for rendition in renditions { data.append(try await base64(try await stored(rendition, inMemory: inMemory).bytes)) }
        return data
    }

    /// Returns bytes in base64. Eight mebibytes would stop the loop for more than ten milliseconds, so long ones are encoded on another thread.
    func base64(_ bytes: [UInt8]) async throws(TintypeError) -> JSON {
        try await encoded(bytes) { Base64.json(of: bytes) }
    }

    private func encoded<T: Sendable>(_ bytes: [UInt8], _ body: @escaping @Sendable () -> T) async throws(TintypeError) -> T {
        guard bytes.count >= AnswerScheduler.large else { return body() }
        do { return try await readers.run(body) } catch { throw .stopping }
    }

    /// Returns the document of the single rendition of `as: json`, `as: text` or `as: xml`, unchanged.
    ///
    /// A worker has checked its own results. Bytes that a client stored, or that another kind of request made, were never checked. They could close the answer
    /// and begin another one.
    /// - Parameter room: The bytes that there is room for. Escapes make a text up to six times as long.
    /// - Throws: `limitExceeded` for a text that is longer with its escapes than the longest inline bytes are in base64.
    private func document(
        of renditions: [ImageResult.Rendition], as kind: DocumentKind, within room: Int, inMemory: Bool
    ) async throws(TintypeError) -> Call.Reading? {
        try Self.checkInline(Self.size(renditions))
        guard let rendition = renditions.first else { return nil }
        let image = try await stored(rendition, inMemory: inMemory)
        switch kind {
        case .json:
            if image.rendition.document != kind, let fault = await fault(of: image.bytes) {
                throw TintypeError(.jsonInvalid, .deliver, "the entry in the result store is not JSON: \(fault)")
            }
            return .answer(.raw(JSONText(checked: image.bytes)))
        case .text, .xml:
            // Steps of a chain read the text, but only a short one.
            let isLong = image.bytes.count >= AnswerScheduler.large
            let most = Base64.length(of: Self.inlineLimit)
            let text: Call.Reading? = try await encoded(image.bytes) {
                guard let text = String(validating: image.bytes, as: UTF8.self) else { return nil }
                let length = JSONWriter.length(ofString: image.bytes)
                if length > min(max(room, AnswerScheduler.large), most) { return .longer(length) }
                return .answer(isLong ? .raw(JSONText(checked: JSON.string(text).bytes())) : .string(text))
            }
            if case .longer(let length) = text, length > most { throw Self.tooLong(length, most, " with the escapes of JSON") }
            // Only workers read XML.
            guard kind == .text || image.rendition.document == kind, let text else {
                throw TintypeError(
                    .textInvalid, .deliver, "what is in the result store is not \(kind == .xml ? "XML that a worker has read" : "text in UTF-8")",
                    details: ["charset": "utf-8"])
            }
            return text
        }
    }

    /// Returns why the bytes cannot be part of an answer; nil if they can. A long text would stop the loop, so it is parsed on another thread.
    private func fault(of bytes: [UInt8]) async -> String? {
        do {
            try await readers.run { _ = try JSON(parsing: bytes, maxDepth: JSONText.maxLevels) }
            return nil
        } catch {
            return "\(error)"
        }
    }

    private func stored(_ rendition: ImageResult.Rendition, inMemory: Bool) async throws(TintypeError) -> StoredImage {
        if let key = rendition.key {
            // There is room for the length that the result names.
            if let image = try await image(key, sha256: rendition.sha256, inMemory: inMemory), image.bytes.count <= rendition.bytes ?? .max { return image }
            // The next request must not find the entry in memory.
            memory.remove(key)
        }
        throw TintypeError(.storeFailed, .deliver, "the result is no longer in the result store: request the image again", retryable: true)
    }
}
