import Glibc

/// An angle, and the canvas that a picture needs after a turn by it. Pure.
struct Turn {
    let cosine: Double
    let sine: Double

    init(_ degrees: Double) {
        cosine = cos(degrees * .pi / 180)
        sine = sin(degrees * .pi / 180)
    }

    /// Returns the box around a turned picture, rounded up to whole pixels.
    func box(of size: PictureSize) -> PictureSize {
        let (width, height) = (Double(size.width), Double(size.height))
        func side(_ length: Double) -> Int { max(1, Int((length - 1e-6).rounded(.up))) }
        return PictureSize(side(width * abs(cosine) + height * abs(sine)), side(width * abs(sine) + height * abs(cosine)))
    }
}
