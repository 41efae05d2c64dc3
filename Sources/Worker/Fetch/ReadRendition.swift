import TintypeCore
import TintypeImages
package import TintypeQueue

/// A rendition that a fetch owes, read once for everything that its run decides by it. A pure value.
package struct ReadRendition: Sendable {
    let digest: String
    /// A rendition that cannot be read fails when it is made.
    let content: Result<Rendition, TintypeError>

    package init(_ owed: OwedRendition) {
        digest = owed.digest
        content = Result { () throws(TintypeError) in try Rendition(canonical: JSON(queued: owed.json)) }
    }

    private var readable: Rendition? { try? content.get() }

    var acceptance: Acceptance { readable?.acceptance ?? Acceptance() }

    /// The other pictures that it needs.
    var layers: [Layer] { readable?.layers ?? [] }

    /// Whether a picture is made or looked at.
    package var isPicture: Bool { readable.map { [.image, .probe].contains($0.mode) } ?? true }

    /// Returns a rough guess of the time: pixels of the result, weighted by the cost of the format.
    private var cost: Double {
        guard let rendition = readable, rendition.mode == .image else { return 0 }
        var pixels = 12e6
        for resize in rendition.operations.lazy.compactMap({ $0.as(Resize.self) }) {
            switch (resize.width, resize.height) {
            case (let width?, let height?): pixels = Double(width) * Double(height)
            case (let side?, nil), (nil, let side?): pixels = Double(side) * Double(side)
            case (nil, nil): break
            }
        }
        return pixels * (rendition.output.format ?? rendition.output.accepted?.formats.first ?? .jpeg).encodingCost
    }

    /// Sorts the renditions of a fetch: quick ones first, so that no receipt waits long for the rendition of another.
    static func sorted(_ all: [ReadRendition]) -> [ReadRendition] {
        guard all.count > 1 else { return all }
        return all.enumerated().map { (cost: $1.cost, place: $0, rendition: $1) }
            .sorted { ($0.cost, $0.place) < ($1.cost, $1.place) }.map(\.rendition)
    }
}

extension JSON {
    /// Reads JSON that a coordinator has put into the queue.
    /// - Throws: `internal` if the text is not JSON.
    init(queued text: String) throws(TintypeError) {
        do throws(JSONError) {
            self = try JSON(parsing: text)
        } catch {
            throw TintypeError(.internalError, .queue, "the queue holds text that is not JSON: \(error)", retryable: false)
        }
    }
}
