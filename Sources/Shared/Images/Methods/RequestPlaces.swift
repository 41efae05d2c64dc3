/// Where the parameters of a method hold requests for images.
package enum RequestPlaces: Sendable, Hashable {
    case none
    /// The parameters are one.
    case itself
    /// `key`, `request`, or the members of one.
    case target
    /// Each element of this member; beside `items` each of `urls`.
    case items(String)
}
