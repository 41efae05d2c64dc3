import TintypeImages

/// The place of a result's pixels in its source, for plans that only crop, scale once and turn at the end. Pure.
struct Placement: Hashable {
    /// The used part of the source. Pixels outside do not influence the result.
    private(set) var frame: PictureWindow
    /// The frame's size after scaling.
    private(set) var scaled: PictureSize
    /// The part of the scaled frame that is kept.
    private(set) var window: PictureWindow
    private var isScaled = false
    private(set) var turn = Orientation.upright
    private(set) var filter = PlaneFilter.lanczos(3)

    /// - Returns: nil for every other plan.
    init?(_ plan: PicturePlan) {
        let size = plan.load.size
        frame = PictureWindow(x: 0, y: 0, width: size.width, height: size.height)
        scaled = size
        window = frame
        for step in plan.steps where !take(step) { return nil }
    }

    /// - Returns: whether such a plan may have this step.
    private mutating func take(_ step: PlanStep) -> Bool {
        if case .color = step { return true }
        guard turn == .upright else { return false }
        switch step {
        case .turn(let orientation): turn = orientation
        case .crop(let kept): cut(kept)
        case .resize(let resize):
            guard !isScaled, !resize.isLinear, let filter = PlaneFilter(resize) else { return false }
            self.filter = filter
            isScaled = true
            scaled = resize.to
            window = PictureWindow(x: 0, y: 0, width: scaled.width, height: scaled.height)
        case .color, .ownColor, .canvas, .smartCrop, .rotate, .filter: return false
        }
        return true
    }

    private mutating func cut(_ kept: PictureWindow) {
        if isScaled {
            window = PictureWindow(x: window.x + kept.x, y: window.y + kept.y, width: kept.width, height: kept.height)
        } else {
            frame = PictureWindow(x: frame.x + kept.x, y: frame.y + kept.y, width: kept.width, height: kept.height)
            scaled = kept.size
            window = PictureWindow(x: 0, y: 0, width: kept.width, height: kept.height)
        }
    }

    /// The pixels of the source for one of the result.
    var horizontal: Double { Double(frame.width) / Double(scaled.width) }
    var vertical: Double { Double(frame.height) / Double(scaled.height) }

    /// Whether the turn will exchange left and right, or top and bottom, of the picture as it is stored.
    var reversesRows: Bool { (turn.quarters >= 2) != turn.mirrored }
    var reversesColumns: Bool { turn.quarters == 1 || turn.quarters == 2 }
}

/// The interpolation between samples.
enum PlaneFilter: Hashable {
    case bilinear
    /// Mitchell's and Netravali's b and c.
    case bicubic(Double, Double)
    /// The number of lobes on each side.
    case lanczos(Int)

    /// The filter that libvips uses for the kernel. Enlarging is bicubic unless the kernel is linear.
    /// - Returns: nil for cases that only libvips handles: nearest, and one side smaller while the other becomes larger.
    init?(_ resize: ResizeStep) {
        let isSmaller = resize.shrinkHorizontal >= 1 && resize.shrinkVertical >= 1
        guard isSmaller || resize.shrinkHorizontal <= 1 && resize.shrinkVertical <= 1 else { return nil }
        switch resize.kernel {
        case .nearest: return nil
        case .linear: self = .bilinear
        case .cubic: self = .bicubic(0, 0.5)
        case .mitchell: self = isSmaller ? .bicubic(1.0 / 3, 1.0 / 3) : .bicubic(0, 0.5)
        case .lanczos2: self = isSmaller ? .lanczos(2) : .bicubic(0, 0.5)
        case .lanczos3: self = isSmaller ? .lanczos(3) : .bicubic(0, 0.5)
        }
    }

    /// The samples on each side that the filter uses when it does not shrink.
    var reach: Int {
        switch self {
        case .bilinear: 1
        case .bicubic: 2
        case .lanczos(let lobes): lobes
        }
    }
}
