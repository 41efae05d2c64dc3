import Testing

@testable import Worker

/// Profiles, by their own names.
@Suite struct ICCProfileTests {
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
}
