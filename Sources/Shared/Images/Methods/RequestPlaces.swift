/// The places of image requests in the parameters of a method.
package enum RequestPlaces: Sendable, Hashable {
    case none
    /// The parameters are a request.
    case itself
    /// The parameters have `key`, `request`, or the members of a request.
    case target
    /// Each element of this member is a request; beside `items`, each of `urls` too.
    case items(String)
}
