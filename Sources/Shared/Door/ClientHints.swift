/// The words of a client about its screen (Client Hints), in steps: few values make few pictures. A pure value.
package struct ClientHints: Sendable, Hashable {
    /// Device pixels, rounded up to one of `widths`.
    let width: Int?
    /// 1 to 4, rounded up to halves.
    let dpr: Double?

    package static let none = ClientHints()
    /// Strangers choose among these, and each makes a picture of its own. From 300 on, a picture is at most a third wider than asked for.
    static let widths = [100, 200, 300, 400, 500, 600, 800, 1000, 1200, 1500, 1800, 2200, 2700, 3300, 4000, 5000]

    /// - Parameters:
    ///   - width: `Sec-CH-Width`, in device pixels.
    ///   - dpr: `Sec-CH-DPR`.
    ///   - savesData: `Save-Data`; `on` stands for a density of 1.
    package init(width: String? = nil, dpr: String? = nil, savesData: String? = nil) {
        let pixels = width.flatMap { $0.utf8.count <= 5 && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int($0) : nil }
        self.width = pixels.flatMap { asked in asked > 0 ? Self.widths.first { $0 >= asked } ?? Self.widths.last : nil }
        let isNumber = dpr?.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") } ?? false
        let density = isNumber && savesData?.lowercased() != "on" ? dpr.flatMap { Double($0) } : nil
        self.dpr = density.map { min(max(($0 * 2).rounded(.up) / 2, 1), 4) }
    }

    /// The headers that can change a picture with these options.
    static func names(for options: PictureOptions) -> [String] {
        if takesWidth(options) { return ["Sec-CH-Width"] }
        return takesDensity(options) ? ["Sec-CH-DPR", "Save-Data"] : []
    }

    /// Completes options that say nothing of what the client says.
    func apply(to options: inout PictureOptions) {
        let written = options
        var completed = options
        if Self.takesWidth(written), let width {
            completed.width = width
        } else if Self.takesDensity(written), let dpr {
            completed.dpr = dpr
        }
        // A hint is no reason for a refusal.
        if !DoorGap.all.contains(where: { $0.isAsked(completed) && !$0.isAsked(written) }) { options = completed }
    }

    private static func takesWidth(_ options: PictureOptions) -> Bool { !options.isRaw && !options.hasSize && !options.namesDPR }

    private static func takesDensity(_ options: PictureOptions) -> Bool { !options.isRaw && options.hasSize && !options.namesDPR }
}
