/// The time of each phase of a picture.
package struct PictureTimings: Sendable, Hashable {
    /// Reading the source, with the steps that run line by line meanwhile.
    package var decode = Duration.zero
    package var transform = Duration.zero
    package var encode = Duration.zero
    package init() {}

    package static func += (left: inout PictureTimings, right: PictureTimings) {
        left.decode += right.decode
        left.transform += right.transform
        left.encode += right.encode
    }
}
