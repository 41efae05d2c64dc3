import ImageHeads
import TintypeImages

/// The part of a gain map that lies on a result, and its orientation. Made from the plan of the base picture, so that both go the same way. Pure.
struct GainMapPlan: Hashable {
    /// The orientation that the map gets first.
    private(set) var turn = Orientation.upright
    /// The part of the turned map, in fractions of its sides.
    private(set) var left = 0.0
    private(set) var top = 0.0
    private(set) var width = 1.0
    private(set) var height = 1.0
    /// The pixels of the base picture in the result for one of the source, in the directions of the result.
    private(set) var across = 1.0
    private(set) var down = 1.0
    /// The size of the base picture after the steps so far.
    private var size: PictureSize

    /// - Parameters:
    ///   - plan: the plan before any part of it is left to the decoder.
    ///   - windows: the windows of its smart crops, in their order.
    /// - Returns: nil if the map cannot follow.
    init?(_ plan: PicturePlan, windows: [PictureWindow]) {
        guard Self.isPossible(plan) else { return nil }
        size = plan.load.size
        var windows = windows[...]
        for step in plan.steps {
            switch step {
            case .crop(let window): cut(window)
            case .smartCrop:
                guard let window = windows.popFirst() else { return nil }
                cut(window)
            case .resize(let resize): size = resize.to
            case .turn(let orientation): turn(orientation)
            case .color, .ownColor, .canvas, .rotate, .filter: break
            }
        }
        let source = turn.applied(to: plan.load.size)
        (across, down) = (Double(size.width) / (width * Double(source.width)), Double(size.height) / (height * Double(source.height)))
    }

    /// Whether a map can follow all steps, wherever the windows of smart crops will be.
    static func isPossible(_ plan: PicturePlan) -> Bool {
        plan.load.format == .jpeg && plan.animation == nil && plan.frames.count == 1 && plan.steps.allSatisfy(\.leavesPlaces)
    }

    /// Whether a map of this size can belong to a base picture. It is not larger, and its shape is the same within a pixel or a hundredth.
    static func fits(_ map: PictureSize, _ base: PictureSize) -> Bool {
        guard map.width > 0, map.height > 0, map.width <= base.width, map.height <= base.height else { return false }
        return abs(map.width * base.height - map.height * base.width) <= max(base.width, base.height, map.width * base.height / 100)
    }

    /// Returns the size of the result's map: as many pixels as the scale of the base leaves of the map's own, and never more.
    func size(ofTurned map: PictureSize) -> PictureSize {
        func side(_ share: Double, _ whole: Int, _ scale: Double) -> Int { max(1, Int((share * Double(whole) * min(1, scale)).rounded())) }
        return PictureSize(side(width, map.width, across), side(height, map.height, down))
    }

    private mutating func cut(_ window: PictureWindow) {
        left += width * Double(window.x) / Double(size.width)
        top += height * Double(window.y) / Double(size.height)
        width *= Double(window.width) / Double(size.width)
        height *= Double(window.height) / Double(size.height)
        size = window.size
    }

    private mutating func turn(_ orientation: Orientation) {
        if orientation.mirrored { left = 1 - left - width }
        for _ in 0..<orientation.quarters { (left, top, width, height) = (1 - top - height, left, height, width) }
        turn = turn.then(orientation)
        size = orientation.applied(to: size)
    }
}

extension PlanStep {
    /// Whether each pixel afterwards still shows the place of the source that its neighbors and the plan imply, and nothing else.
    fileprivate var leavesPlaces: Bool {
        switch self {
        case .crop, .resize, .color, .ownColor, .turn, .smartCrop: true
        case .canvas, .rotate: false
        case .filter(let operation): operation.layers.isEmpty && !operation.is(Text.self) && !operation.is(RoundCorners.self)
        }
    }
}
