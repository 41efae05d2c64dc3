/// Where a list goes on: how many items the answers before have told of, in digits. Clients hand back what they were given, but anything
/// may come: what is taken is small enough to reckon with.
package enum ListCursor {
    private static let most = 1_000_000_000

    static let parameter = ParameterDescription(
        "cursor",
        .pattern(expectation: "the cursor of the answer before: digits, at most \(most)") { text in
            (1...10).contains(text.utf8.count) && text.utf8.allSatisfy { (0x30...0x39).contains($0) } && Int(text).map { $0 <= most } ?? false
        }, "Where the answer before has stopped.")

    /// The items to pass over, of parameters that were found right.
    package static func skipped(_ params: JSON) -> Int { params[parameter.name]?.string.flatMap { Int($0) } ?? 0 }
}
