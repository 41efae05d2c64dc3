/// Where the time of a picture went.
package struct PictureTimings: Sendable, Hashable {
    /// Reading the source, with the steps that are done line by line while it is read.
    package var decode = Duration.zero
    package var transform = Duration.zero
    package var encode = Duration.zero
    package init() {}
}
