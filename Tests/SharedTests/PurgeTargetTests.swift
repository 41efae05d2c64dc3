import Testing
import TintypeQueue

/// Which sources a purge is about.
@Suite struct PurgeTargetTests {
    @Test(
        arguments: [
            ("http://a.test/x", "http://a.test/x", true), ("http://a.test/x", "http://a.test/x?y=1", false), ("http://a.test/x", "http://a.test/xy", false),
            ("HTTP://A.test:80/x#top", "http://a.test/x", true), ("http://a.test/x", "http://A.TEST:80/x", true),
            ("http://a.test/x", "https://a.test/x", false),
            ("http://a.test", "http://a.test/", true), ("http://a.test:8080/", "http://a.test/", false), ("http://a.test/X", "http://a.test/x", false),
            ("http://me:secret@a.test/x", "http://a.test/x", true), ("http://a.test/x?X-Amz-Signature=1", "http://a.test/x?X-Amz-Signature=***", true),
            ("file:///a/b", "file:///a/b", true), ("s3://bucket/a", "s3://bucket/a", true), ("http://a.test/%41", "http://a.test/A", false),
        ]) func `a URL stands for its spellings and for no other URL`(purged: String, url: String, isHit: Bool) throws
    {
        #expect(try PurgeTarget(url: purged).hits([url]) == isHit)
        #expect(try PurgeTarget(url: purged).hits(["http://other.test/", url]) == isHit)
    }

    @Test(
        arguments: [
            ("http://a.test/", "http://a.test/x", true), ("http://a.test/", "http://a.test", true), ("http://a.test/", "http://a.test.evil.test/", false),
            ("http://a.test/x", "http://a.test/xyz?q", true), ("http://a.test/x/", "http://a.test/x", false), ("HTTP://A.TEST:80/x", "http://a.test/xy", true),
            ("http://a.test/*", "http://a.test/x", false), ("http://a.test/*", "http://a.test/*x", true), ("http://a.test/?", "http://a.test/x", false),
            ("http://a.test/[x]", "http://a.test/x", false), (#"http://a.test/\*"#, "http://a.test/*", false),
            ("http://a.test/x?a=", "http://a.test/x?a=1", true),
            ("http://a.test/e", "http://a.test/e\u{301}", true), ("http://a.test/é", "http://a.test/e\u{301}", false), ("s3://b/", "s3://b/x", true),
        ]) func `a prefix is compared byte by byte behind the host`(prefix: String, url: String, isHit: Bool)
    {
        let target = try? PurgeTarget(prefix: prefix)
        #expect((target?.hits([url]) ?? false) == isHit)
    }

    @Test func `a target survives its way through Redis`() throws {
        let targets = [try PurgeTarget(url: "http://a.test/x y".replacing(" ", with: "%20")), try PurgeTarget(prefix: "http://a.test/")]
        for target in targets { #expect(PurgeTarget(member: target.member) == target) }
        for foreign in ["", "u", "x http://a.test/", "up http"] { #expect(PurgeTarget(member: foreign) == nil, "\(foreign)") }
        // This one stands for all purges that the list has no room for.
        #expect(PurgeTarget(member: "p ")?.hits(["anything"]) == true)
    }
}
