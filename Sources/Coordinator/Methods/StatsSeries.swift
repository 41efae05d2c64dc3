import TintypeCore

/// `stats.series`: what the fleet did, by the second or by fifteen seconds.
struct StatsSeries: RPCMethod {
    let name = "stats.series"
    let services: Services

    func begin(_ call: Call, _ params: JSON) {
        let wanted = params["step"]?.int ?? 1
        guard let step = StatisticsRings.Step(rawValue: wanted) else {
            return call.fail(.invalidParams(path: "step", value: JSON(wanted), expected: "1 or 15"))
        }
        let points = services.statistics.points(step, after: params["since"]?.int ?? 0)
        call.succeed(["step": JSON(wanted), "points": .array(points.map { .object($0.json) })])
    }
}
