import TintypeCore
import TintypeImages
import TintypeQueue

/// Sorts the renditions of a fetch: quick ones first, so that no receipt waits long for the rendition of another. Pure.
enum RenditionOrder {
    static func sorted(_ owed: [OwedRendition]) -> [OwedRendition] {
        guard owed.count > 1 else { return owed }
        return owed.enumerated().map { (cost: cost($1), place: $0, rendition: $1) }
            .sorted { ($0.cost, $0.place) < ($1.cost, $1.place) }.map(\.rendition)
    }

    /// Returns a rough guess of the time: pixels of the result, weighted by the cost of the format.
    private static func cost(_ owed: OwedRendition) -> Double {
        // A rendition that cannot be read fails at once.
        guard let json = try? JSON(parsing: owed.json), let rendition = try? Rendition(canonical: json) else { return 0 }
        guard rendition.mode == .image else { return 0 }
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
