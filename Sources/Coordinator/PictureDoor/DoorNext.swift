import TintypeImages

/// The better picture that may follow a quick one.
enum DoorNext: Sendable, Hashable {
    /// It is being made, in this format or in the one that suits the picture.
    case comes(ImageFormat)
    /// Too many are being made. A later request begins it.
    case dropped
    /// It is not begun for so many seconds, because it failed or has just ended.
    case rests(Double)

    /// The most seconds for which a cache may show the quick picture.
    var seconds: Double {
        switch self {
        case .comes, .dropped: DoorLifetime.quick
        case .rests(let seconds): max(DoorLifetime.quick, seconds)
        }
    }

    /// The label of metrics.
    static func label(_ verdict: BackgroundBook.Verdict) -> String {
        switch verdict {
        case .begins: "begun"
        case .joins: "joined"
        case .rests: "rests"
        case .noRoom: "dropped"
        }
    }

    init(_ verdict: BackgroundBook.Verdict, _ format: ImageFormat) {
        self =
            switch verdict {
            case .begins, .joins: .comes(format)
            case .rests(let seconds): .rests(seconds)
            case .noRoom: .dropped
            }
    }
}
