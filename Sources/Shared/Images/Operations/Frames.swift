package import TintypeCore

/// Chooses frames of an animated picture, reverses them, changes their pace.
package struct Frames: ImageOperation {
    package var pick: [Int]?
    package var first: Int?
    package var isReversed: Bool
    package var speed: Double

    package static let description = OperationDescription(
        name: "frames",
        summary: "Chooses frames of an animated picture: the picked ones, or the first ones. Then reverses them, then changes their pace. "
            + "A format that cannot move gets the first remaining frame. All frames up to the last wanted one may have 2,000 million pixels.",
        parameters: [
            ParameterDescription(
                "pick", .array(of: .integer(0...65535), count: 1...256),
                "The numbers of the frames, from 0, in this order. A frame may "
                    + "come twice."),
            ParameterDescription("first", .integer(1...65535), "The number of frames to keep, from the first one."),
            ParameterDescription("reverse", .boolean, default: false, "Whether to reverse the order."),
            ParameterDescription(
                "speed", .number(0.01...100), default: 1, "The speed: 2 is twice as fast. A frame lasts at least 0.02 s and at most what the format can say."),
        ], main: "first")

    /// The first frames, unchanged.
    package init(first: Int) { (pick, self.first, isReversed, speed) = (nil, first, false, 1) }

    package init(_ json: JSON, at path: String) throws(TintypeError) {
        pick = json["pick"]?.array?.compactMap(\.int)
        first = json["first"]?.int
        isReversed = json["reverse"]?.bool ?? false
        speed = json["speed"]?.double ?? 1
        if pick != nil, first != nil { throw .invalidParams(path: path + ".first", value: json["first"], expected: "either pick or first") }
    }

    package var mayRepeatFrames: Bool { pick.map { $0.count > 1 } ?? false }

    package var canonical: JSON? { canonical(isRepeated: false) }

    package func canonical(isRepeated: Bool) -> JSON? {
        var object: JSONObject = ["op": "frames"]
        // The first frame is there in any case.
        let (pick, first) = self.pick == [0] ? (nil, 1) : (self.pick, self.first)
        object["pick"] = pick.map { .array((isReversed ? $0.reversed() : $0).map { JSON($0) }) }
        object["first"] = first.map { JSON($0) }
        let isOne = first == 1 || pick?.count == 1
        if isReversed, pick == nil, !isOne { object["reverse"] = true }
        // A single frame has no time, unless a later operation repeats it.
        if speed != 1, !isOne || isRepeated { object["speed"] = JSON(speed) }
        return object.count > 1 ? .object(object) : nil
    }
}
