import TintypeCore

/// `stats.series`: what the fleet did, by the second, by fifteen seconds or by the minute.
struct StatsSeries: RPCMethod {
    let name = "stats.series"
    let services: Services

    func begin(_ call: Call, _ params: JSON) {
        let wanted = params["step"]?.int ?? 1
        guard let step = StatisticsRings.Step(rawValue: wanted) else {
            return call.fail(.invalidParams(path: "step", value: JSON(wanted), expected: "1, 15 or 60"))
        }
        let points = services.statistics.points(step, after: params["since"]?.int ?? 0)
        call.succeed(["step": JSON(wanted), "bounds": .array(StatisticsPoint.bounds.map { JSON($0) }), "points": .array(points.map(\.json))])
    }
}
