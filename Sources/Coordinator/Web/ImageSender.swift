package import TintypeCore
import TintypeImages
import TintypeStores
package import TintypeTransport

/// Makes the answers with finished images: from memory, from open files, or from the result store. Both HTTP ports share it, and the room for answers.
@Loop
package final class ImageSender {
    /// Returns the header lines that the answer has besides those of its choice.
    package typealias Lines = @Loop (ServedImage, ImageChoice) -> HeaderLines

    private let kept: KeptResults
    private let unsent: AnswerBudget
    private let outgoing = OutgoingImages()

    init(_ kept: KeptResults, _ unsent: AnswerBudget) { (self.kept, self.unsent) = (kept, unsent) }

    /// Returns the answer with an image in memory or in an open file, without a task; nil for any other image.
    /// - Parameter isWanted: Whether the body is sent at all.
    package func atOnce(_ key: String, _ asked: ImageConditions, isWanted: Bool, _ lines: Lines) -> WebAnswer? {
        if let served = kept.held(key) { return fromMemory(served, asked, isWanted: isWanted, lines) }
        return fromFile(key, asked, isWanted: isWanted, lines)
    }

    /// Returns the answer with an image whose entry in memory is known already.
    package func atOnce(_ entry: CachedRendition, _ asked: ImageConditions, isWanted: Bool, _ lines: Lines) -> WebAnswer? {
        if let served = entry.served { return fromMemory(served, asked, isWanted: isWanted, lines) }
        return fromFile(entry.key, asked, isWanted: isWanted, lines)
    }

    private func fromFile(_ key: String, _ asked: ImageConditions, isWanted: Bool, _ lines: Lines) -> WebAnswer? {
        var shown: WebAnswer?
        let isOpened = kept.isOpened(key) { file in
            shown = from(file, asked, isWanted: isWanted, lines)
            return shown != nil
        }
        return isOpened ? shown : nil
    }

    /// Returns the answer with an image that is read from the store first; nil if there is none.
    /// - Parameter inMemory: Whether the image stays in the memory tier after it was read.
    /// - Throws: `storeFailed`.
    package func read(
        _ key: String, _ asked: ImageConditions, isWanted: Bool, inMemory: Bool = true, _ lines: Lines
    ) async throws(TintypeError) -> WebAnswer? {
        guard let image = try await kept.image(key, inMemory: inMemory) else { return nil }
        return fromMemory(ServedImage(image), asked, isWanted: isWanted, lines)
    }

    private func fromMemory(_ served: ServedImage, _ asked: ImageConditions, isWanted: Bool, _ lines: Lines) -> WebAnswer {
        let choice = ImageChoice(asked, served)
        var answer = Self.answer(served, choice, Self.lines(served, choice, lines))
        guard isWanted else { return answer }
        if answer.body.count > HTTPExchange.piece {
            // A long body is a slice of the array that its other readers share.
            let shared = outgoing.share(served.image.bytes, as: served.tag)
            guard unsent.admits(shared) else { return .noRoom }
            answer.body = shared.bytes[answer.body.indices]
            answer.held = shared
        } else if case .part = choice {
            // A slow reader of a short part must not keep the whole image in memory.
            answer.body = Array(answer.body)[...]
        }
        return answer
    }

    /// Returns the answer with bytes of an open file, which is checked afterwards.
    /// - Returns: nil if the file has to be read again.
    private func from(_ file: StoredFile, _ asked: ImageConditions, isWanted: Bool, _ lines: Lines) -> WebAnswer? {
        let served: ServedImage
        if let kept = file.companion as? ServedImage {
            served = kept
        } else {
            served = ServedImage(file.image, count: file.count)
            file.companion = served
        }
        let choice = ImageChoice(asked, served)
        var answer = Self.outline(served, choice, Self.lines(served, choice, lines))
        guard let range = choice.bytes(of: served.count) else { return answer }
        if !isWanted {
            answer.file = file.part(range)
        } else if range.count <= StoredFile.mostCopied {
            guard let bytes = file.cachedBytes(range) else { return nil }
            answer.body = bytes[...]
        } else {
            guard file.isCached(range) else { return nil }
            answer.file = file.part(range)
        }
        return answer
    }

    /// Returns the answer for an image in memory.
    package nonisolated static func answer(_ served: ServedImage, _ choice: ImageChoice, _ lines: HeaderLines) -> WebAnswer {
        var answer = outline(served, choice, lines)
        if let range = choice.bytes(of: served.count) { answer.body = served.image.bytes[range] }
        return answer
    }

    /// Returns the answer for an image without its bytes.
    private nonisolated static func outline(_ served: ServedImage, _ choice: ImageChoice, _ lines: HeaderLines) -> WebAnswer {
        var answer = bare(choice, of: served.count)
        answer.lines = lines
        return answer
    }

    private static func lines(_ served: ServedImage, _ choice: ImageChoice, _ lines: Lines) -> HeaderLines {
        choice.hasImageHeaders ? lines(served, choice) : HeaderLines()
    }

    /// Returns the answer without the headers that all answers with the image have.
    private nonisolated static func bare(_ choice: ImageChoice, of total: Int) -> WebAnswer {
        switch choice {
        case .preconditionFailed: .preconditionFailed
        case .unchanged: WebAnswer(status: 304, headers: [])
        case .whole: WebAnswer(status: 200, headers: [])
        case .part(let part): WebAnswer(status: 206, headers: [("Content-Range", "bytes \(part.lowerBound)-\(part.upperBound)/\(total)")])
        case .unsatisfiable: WebAnswer(status: 416, headers: [("Content-Range", "bytes */\(total)")])
        }
    }
}

/// The images that are being sent over HTTP, by their entity tags. Each is in memory once for all its readers.
@Loop
final class OutgoingImages {
    private var images: [String: Reference] = [:]

    private struct Reference {
        weak var image: SharedBody?
    }

    /// Returns the bytes of an image for one more answer.
    func share(_ bytes: [UInt8], as tag: String) -> SharedBody {
        if let shared = images[tag]?.image { return shared }
        if images.count >= 256 { images = images.filter { $0.value.image != nil } }
        let image = SharedBody(bytes)
        images[tag] = Reference(image: image)
        return image
    }
}
