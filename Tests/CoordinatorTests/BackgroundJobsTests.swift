import Testing
import TintypeCore

@testable import Coordinator
@testable import TintypePictureDoor

/// The work that goes on behind the answers of the picture door: bounded, never twice, and not again at once after an end.
@Suite struct BackgroundJobsTests {
    @Test func `work begins once, and others join it`() {
        var jobs = BackgroundJobs(most: 2)
        #expect(jobs.standing(of: "a", at: 0) == .unknown && jobs.begin("a", for: "x", at: 0) == .begins)
        #expect(jobs.standing(of: "a", at: 0) == .underWay && jobs.begin("a", for: "x", at: 0) == .joins && jobs.count == 1)
    }

    @Test func `no more begins than there is room, and an end makes room`() {
        var jobs = BackgroundJobs(most: 2)
        #expect(jobs.begin("a", for: "x", at: 0) == .begins && jobs.begin("b", for: "x", at: 0) == .begins && jobs.begin("c", for: "x", at: 0) == .noRoom)
        #expect(jobs.standing(of: "c", at: 0) == .unknown && jobs.begin("b", for: "x", at: 0) == .joins)
        jobs.end("a", .made, at: 1)
        #expect(jobs.begin("c", for: "x", at: 1) == .begins && jobs.begin("d", for: "x", at: 1) == .noRoom)
    }

    @Test func `a client beyond its share takes no place of the second half, and others find theirs`() {
        var (jobs, number) = (BackgroundJobs(most: 16, isShared: true), 0)
        func begin(_ client: String, _ count: Int) -> Int {
            (0..<count).count { _ in
                number += 1
                return jobs.begin("\(number)", for: client, at: 0) == .begins
            }
        }
        #expect(begin("a", 16) == 8, "alone it gets half of the places")
        #expect(begin("b", 16) == 4 && begin("c", 3) == 3, "the others get a quarter each")
        #expect(begin("a", 1) == 0 && begin("b", 1) == 0 && begin("c", 2) == 1 && begin("d", 1) == 0 && jobs.count == 16)
        for key in 1...3 { jobs.end("\(key)", .made, at: 0) }
        #expect(begin("a", 1) == 0 && begin("d", 9) == 3, "one that has more than its share gets no place that became free")
        var unshared = BackgroundJobs(most: 16)
        #expect((0..<16).allSatisfy { unshared.begin("\($0)", for: "a", at: 0) == .begins })
    }

    @Test func `made work rests for a moment, because its picture may not be kept`() {
        var jobs = BackgroundJobs(most: 1)
        _ = jobs.begin("a", for: "x", at: 0)
        jobs.end("a", .made, at: 5)
        #expect(jobs.standing(of: "a", at: 14.5) == .made && jobs.begin("a", for: "x", at: 14.5) == .rests(0.5))
        #expect(jobs.standing(of: "a", at: 15) == .unknown && jobs.begin("a", for: "x", at: 15) == .begins)
    }

    @Test func `each failure in a row doubles the pause, up to an hour, and a success forgets them`() {
        var (jobs, now, pauses) = (BackgroundJobs(most: 1), 0.0, [Double]())
        for _ in 1...9 {
            #expect(jobs.begin("a", for: "x", at: now) == .begins)
            jobs.end("a", .failed, at: now)
            #expect(jobs.standing(of: "a", at: now) == .failed)
            guard case .rests(let pause) = jobs.begin("a", for: "x", at: now) else { return #expect(Bool(false), "it begins again at once") }
            pauses.append(pause)
            now += pause
        }
        #expect(pauses == [60, 120, 240, 480, 960, 1920, 3600, 3600, 3600])
        _ = jobs.begin("a", for: "x", at: now)
        jobs.end("a", .made, at: now)
        _ = jobs.begin("a", for: "x", at: now + 10)
        jobs.end("a", .failed, at: now + 10)
        #expect(jobs.begin("a", for: "x", at: now + 10) == .rests(60))
    }

    @Test(arguments: ErrorName.allCases) func `an error of the service is no failure of the picture`(error: ErrorName) {
        let ofService: Set<ErrorName> = [
            .overloaded, .unavailable, .shuttingDown, .unknownQueue, .deadlineExceeded, .cancelled, .superseded,
        ]
        let expected: BackgroundJobs.Ending = ofService.contains(error) ? .disturbed : .failed
        #expect(BackgroundJobs.Ending(error) == expected)
        #expect(BackgroundJobs.Ending(nil) == .made)
    }

    @Test func `disturbed work rests for a moment, and a row of failures goes on behind it`() {
        var jobs = BackgroundJobs(most: 1)
        _ = jobs.begin("a", for: "x", at: 0)
        jobs.end("a", .failed, at: 0)
        for now in [60.0, 70, 80] {
            #expect(jobs.begin("a", for: "x", at: now) == .begins)
            jobs.end("a", .disturbed, at: now)
            #expect(jobs.standing(of: "a", at: now) == .unknown && jobs.begin("a", for: "x", at: now) == .rests(10))
        }
        _ = jobs.begin("a", for: "x", at: 90)
        jobs.end("a", .failed, at: 90)
        #expect(jobs.begin("a", for: "x", at: 90) == .rests(120))
    }

    @Test func `dismissed work is needless for its time, at most an hour`() {
        var jobs = BackgroundJobs(most: 1)
        jobs.dismiss("a", for: 30, at: 0)
        jobs.dismiss("b", for: .infinity, at: 0)
        #expect(jobs.standing(of: "a", at: 29) == .needless && jobs.standing(of: "a", at: 30) == .unknown)
        #expect(jobs.standing(of: "b", at: 3599) == .needless && jobs.standing(of: "b", at: 3600) == .unknown)
    }

    @Test func `the ends that are over first are forgotten when there are too many`() {
        var jobs = BackgroundJobs(most: 1)
        for index in 0...BackgroundJobs.mostEnds { jobs.dismiss("\(index)", for: Double(1 + index), at: 0) }
        #expect(jobs.standing(of: "0", at: 0) == .unknown && jobs.standing(of: "255", at: 0) == .unknown)
        #expect(jobs.standing(of: "256", at: 0) == .needless && jobs.standing(of: "\(BackgroundJobs.mostEnds)", at: 0) == .needless)
    }
}
