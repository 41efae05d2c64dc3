import TestSupport
import Testing
import ImgproxyURLs
import TintypeTransport

@testable import Coordinator
@testable import TintypePictureDoor

/// The plans of repeated URLs.
@Suite(.timeLimit(.minutes(1)), .scoped) struct DoorPlansTests {
    private static func key(_ target: String, _ accept: AcceptClass = .none) -> DoorPlans.Key {
        DoorPlans.Key(target: Array(target.utf8)[...], accept: accept, hints: .none)
    }

    @Loop private static func planned(_ target: String) throws -> PlannedPicture {
        PlannedPicture(try PictureDoor(URLSignature(pairs: [], unsigned: .named)).plan(Array(target.utf8), now: 50))
    }

    @Test @Loop func `a plan counts for its URL and class of clients alone, and until the URL expires`() throws {
        let (plans, target) = (DoorPlans(), "/unsafe/exp:100/plain/http://a.test/x")
        plans.keep(try Self.planned(target), for: Self.key(target))
        #expect(plans.plan(Self.key(target), now: 99) != nil)
        #expect(plans.plan(Self.key(target), now: 100) == nil && plans.plan(Self.key(target), now: 101) == nil)
        #expect(plans.plan(Self.key(target, .webp), now: 99) == nil && plans.plan(Self.key(target + "y"), now: 99) == nil)
        plans.forget()
        #expect(plans.plan(Self.key(target), now: 99) == nil)
    }

    @Test @Loop func `plans are limited in number and length`() throws {
        let plans = DoorPlans()
        let picture = try Self.planned("/unsafe/plain/http://a.test/x")
        let long = "/unsafe/plain/http://a.test/" + String(repeating: "x", count: DoorPlans.longest)
        plans.keep(picture, for: Self.key(long))
        #expect(plans.plan(Self.key(long), now: 0) == nil)
        for number in 0...DoorPlans.most { plans.keep(picture, for: Self.key("/\(number)")) }
        #expect(plans.plan(Self.key("/0"), now: 0) == nil && plans.plan(Self.key("/\(DoorPlans.most)"), now: 0) != nil)
        #expect((0...DoorPlans.most).count { plans.plan(Self.key("/\($0)"), now: 0) != nil } <= DoorPlans.most)
    }

    @Test @Loop func `a plan that is used stays, however many URLs are asked for once`() throws {
        let plans = DoorPlans()
        let picture = try Self.planned("/unsafe/plain/http://a.test/x")
        plans.keep(picture, for: Self.key("/used"))
        for number in 0..<5 * DoorPlans.most {
            plans.keep(picture, for: Self.key("/\(number)"))
            if number % 1000 == 0 { #expect(plans.plan(Self.key("/used"), now: 0) != nil, "after \(number)") }
        }
    }

    @Test @Loop func `a query makes no plan of its own, for no signature covers one`() throws {
        let plans = DoorPlans()
        plans.keep(try Self.planned("/unsafe/plain/http://a.test/x?y"), for: Self.key("/unsafe/plain/http://a.test/x?y"))
        #expect(plans.plan(Self.key("/unsafe/plain/http://a.test/x"), now: 0) != nil)
        #expect(plans.plan(Self.key("/unsafe/plain/http://a.test/x?random"), now: 0) != nil)
        // The query of a source is escaped, and part of the path.
        #expect(plans.plan(Self.key("/unsafe/plain/http://a.test/x%3Fy"), now: 0) == nil)
    }
}
