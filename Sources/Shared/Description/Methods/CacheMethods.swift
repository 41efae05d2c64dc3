extension MethodCatalogue {
    private static let tier = ParameterDescription("tier", .choice(CacheTier.names), "One tier; default: all.")

    static let cacheMethods: [MethodDescription] = [
        MethodDescription("cache.stats", "How much each tier holds.", [tier], result: "`{tier: {count, bytes, capacity}}`", errors: [.storeFailed]),
        MethodDescription("cache.clear", "Empties a tier, or all.", [tier], result: "`{removed, bytes}`", errors: [.storeFailed, .unavailable]),
    ]
}
