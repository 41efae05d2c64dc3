import TintypeCore
package import TintypeImages

extension MethodCatalog {
    /// The check of the queues' invariants.
    package static let validation: FeatureMethods = (validationMethods, "system.info")

    private static let validationMethods: [MethodDescription] = [
        MethodDescription(
            "system.validate",
            "Checks every invariant of every queue in Redis, page by page, so that other work goes on. "
                + "One check runs at a time; clients that ask meanwhile get its answer.",
            role: .admin,
            result: "`{ok, violations: []}`: a sentence for each broken invariant, at most 1,000", errors: [.unavailable],
            example: MethodExample("{}", #"{"ok":true,"violations":[]}"#))
    ]
}
