import TestSupport
import Testing
import TintypeImages

@testable import Engine

/// Profiles, by their own names.
@Suite(.tags(.optimized)) struct ICCProfileTests {
    @Test(arguments: [
        ("sRGB IEC61966-2.1", true), ("sRGB built-in", true), ("c2", true), ("sRGB-elle-V2-g10.icc", false), ("sRGB linear", false), ("Display P3", false),
    ])
    func `only known sRGB profiles count as sRGB`(name: String, isSRGB: Bool) {
        func big(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(value >> (8 * (3 - $0)) & 0xff) } }
        var profile = [UInt8](repeating: 0, count: 128)
        profile.replaceSubrange(16..<20, with: Array("RGB ".utf8))
        profile += big(1) + Array("desc".utf8) + big(144) + big(100)
        profile += Array("desc".utf8) + big(0) + big(name.utf8.count + 1) + Array(name.utf8) + [0]
        #expect(ICCProfile(profile).isSRGB == isSRGB)
    }

    /// The light of 0.02, 0.5 and 1, by the formulas of ICC.1:2022, 10.18; bent: between 33 points, a straight line misses them.
    @Test(
        arguments: [
            ("curv", [0, 0, 0, 0], [0.02, 0.5, 1], true), ("curv", [0, 0, 0, 1, 2, 0], [0.0004, 0.25, 1], false),
            ("curv", [0, 0, 0, 2, 0, 0, 0xff, 0xff], [0.02, 0.5, 1], true), ("curv", [0, 0, 0, 3, 0, 0, 0, 0, 0xff, 0xff], [0, 0, 1], true),
            ("para", [0, 0, 0, 0] + fixed(1), [0.02, 0.5, 1], true), ("para", [0, 1, 0, 0] + fixed(2, 2, -0.5), [0, 0.25, 1], true),
            ("para", [0, 2, 0, 0] + fixed(2, 2, -0.5, 0.25), [0.25, 0.5, 1], false),
            ("para", [0, 3, 0, 0] + fixed(2, 1, 0, 0.5, 0.25), [0.01, 0.25, 1], true),
            ("para", [0, 4, 0, 0] + fixed(2, 0.5, 0, 0.5, 0.25, 0.125, 0.0625), [0.0725, 0.1875, 0.375], true),
            // Cut, of an unknown type, and with more samples than bytes.
            ("para", [0, 1, 0, 0] + fixed(2), nil, false), ("para", [0, 5, 0, 0] + fixed(2), nil, false), ("curv", [0, 0, 0, 9, 0, 0], nil, false),
            ("mft2", [0, 0, 0, 0], nil, false),
        ] as [(String, [UInt8], [Double]?, Bool)]) func `A curve has the light that its formula says`(
            kind: String, content: [UInt8], light: [Double]?, isBent: Bool
        )
    {
        let bytes = Array(kind.utf8) + [0, 0, 0, 0] + content
        let curve = bytes.withUnsafeBytes { ProfileCurve(ByteReader(bytes: $0), 0) }
        #expect((curve == nil) == (light == nil))
        guard let curve, let light else { return }
        let seen = [0.02, 0.5, 1].map { curve.light(of: $0) }
        #expect(near(seen, light, within: 0.0001), "\(seen)")
        #expect(curve.isBent == isBent)
    }

    private static func fixed(_ numbers: Double...) -> [UInt8] { numbers.flatMap { BigEndian.bytes(Int(($0 * 65536).rounded())) } }

    /// A gray profile may lead to L* (ICC.1:2022, F.2). Its curve is then none of light, and LittleCMS reads the profile.
    @Test(arguments: [("XYZ ", true), ("Lab ", false)]) func `Only a curve of light is read`(space: String, isRead: Bool) throws {
        var profile = try #require(WideProfile.of(gamma: 100_000, chromaticities: nil, isGray: true))
        profile.replaceSubrange(20..<24, with: Array(space.utf8))
        #expect((ICCProfile.shape(profile) != nil) == isRead)
    }
}
