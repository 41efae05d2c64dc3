package import TintypeImages

/// The formats that a client shows beside those that every client shows: an `Accept` header, folded into few classes.
///
/// Answers are kept by class. With whole headers a stranger could make any number of keys for one picture.
package enum AcceptClass: String, Sendable, CaseIterable, Hashable {
    case none, webp, avif, avifAndWebP, jxl

    /// - Parameters:
    ///   - header: all `Accept` headers, separated by commas; nil for none. A star says nothing: browsers send it whatever they show.
    ///   - detected: the formats that the operator lets clients choose.
    package init(_ header: String?, detecting detected: Set<ImageFormat> = [.avif, .webp, .jxl]) {
        guard let header else {
            self = .none
            return
        }
        let shown = Set(AcceptedFormats([header]).formats).intersection(detected)
        self =
            switch (shown.contains(.avif), shown.contains(.webp), shown.contains(.jxl)) {
            case (true, true, _): .avifAndWebP
            case (true, false, _): .avif
            case (false, true, _): .webp
            case (false, false, true): .jxl
            case (false, false, false): .none
            }
    }

    /// The value of `output.accept`; empty for the formats that every client shows.
    package var formats: [ImageFormat] {
        switch self {
        case .none: []
        case .webp: [.webp]
        case .avif: [.avif]
        case .avifAndWebP: [.avif, .webp]
        case .jxl: [.jxl]
        }
    }

    /// The format of this class that takes long to make; nil if all of its formats are made quickly.
    package var slow: ImageFormat? {
        switch self {
        case .none, .webp: nil
        case .avif, .avifAndWebP: .avif
        case .jxl: .jxl
        }
    }

    /// The class of the same clients without the slow format.
    package var quick: AcceptClass {
        switch self {
        case .none, .avif, .jxl: .none
        case .webp, .avifAndWebP: .webp
        }
    }
}
