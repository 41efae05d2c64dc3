import Testing
import TintypeCore

@testable import Coordinator
@testable import TintypePictureDoor

/// The work that goes on behind the answers of the picture door: bounded, never twice, and not again at once after an end.
@Suite struct BackgroundBookTests {
    @Test func `work begins once, and others join it`() {
        var book = BackgroundBook(most: 2)
        #expect(book.standing(of: "a", at: 0) == .unknown && book.begin("a", for: "x", at: 0) == .begins)
        #expect(book.standing(of: "a", at: 0) == .underWay && book.begin("a", for: "x", at: 0) == .joins && book.count == 1)
    }

    @Test func `no more begins than there is room, and an end makes room`() {
        var book = BackgroundBook(most: 2)
        #expect(book.begin("a", for: "x", at: 0) == .begins && book.begin("b", for: "x", at: 0) == .begins && book.begin("c", for: "x", at: 0) == .noRoom)
        #expect(book.standing(of: "c", at: 0) == .unknown && book.begin("b", for: "x", at: 0) == .joins)
        book.end("a", .made, at: 1)
        #expect(book.begin("c", for: "x", at: 1) == .begins && book.begin("d", for: "x", at: 1) == .noRoom)
    }

    @Test func `a client beyond its share takes no place of the second half, and others find theirs`() {
        var (book, number) = (BackgroundBook(most: 16, isShared: true), 0)
        func begin(_ client: String, _ count: Int) -> Int {
            (0..<count).count { _ in
                number += 1
                return book.begin("\(number)", for: client, at: 0) == .begins
            }
        }
        #expect(begin("a", 16) == 8, "alone it gets half of the places")
        #expect(begin("b", 16) == 4 && begin("c", 3) == 3, "the others get a quarter each")
        #expect(begin("a", 1) == 0 && begin("b", 1) == 0 && begin("c", 2) == 1 && begin("d", 1) == 0 && book.count == 16)
        for key in 1...3 { book.end("\(key)", .made, at: 0) }
        #expect(begin("a", 1) == 0 && begin("d", 9) == 3, "one that has more than its share gets no place that became free")
        var unshared = BackgroundBook(most: 16)
        #expect((0..<16).allSatisfy { unshared.begin("\($0)", for: "a", at: 0) == .begins })
    }

    @Test func `made work rests for a moment, because its picture may not be kept`() {
        var book = BackgroundBook(most: 1)
        _ = book.begin("a", for: "x", at: 0)
        book.end("a", .made, at: 5)
        #expect(book.standing(of: "a", at: 14.5) == .made && book.begin("a", for: "x", at: 14.5) == .rests(0.5))
        #expect(book.standing(of: "a", at: 15) == .unknown && book.begin("a", for: "x", at: 15) == .begins)
    }

    @Test func `each failure in a row doubles the pause, up to an hour, and a success forgets them`() {
        var (book, now, pauses) = (BackgroundBook(most: 1), 0.0, [Double]())
        for _ in 1...9 {
            #expect(book.begin("a", for: "x", at: now) == .begins)
            book.end("a", .failed, at: now)
            #expect(book.standing(of: "a", at: now) == .failed)
            guard case .rests(let pause) = book.begin("a", for: "x", at: now) else { return #expect(Bool(false), "it begins again at once") }
            pauses.append(pause)
            now += pause
        }
        #expect(pauses == [60, 120, 240, 480, 960, 1920, 3600, 3600, 3600])
        _ = book.begin("a", for: "x", at: now)
        book.end("a", .made, at: now)
        _ = book.begin("a", for: "x", at: now + 10)
        book.end("a", .failed, at: now + 10)
        #expect(book.begin("a", for: "x", at: now + 10) == .rests(60))
    }

    @Test(arguments: ErrorName.allCases) func `an error of the service is no failure of the picture`(error: ErrorName) {
        let ofService: Set<ErrorName> = [
            .overloaded, .unavailable, .shuttingDown, .unknownQueue, .deadlineExceeded, .cancelled, .superseded,
        ]
        let expected: BackgroundBook.Ending = ofService.contains(error) ? .disturbed : .failed
        #expect(BackgroundBook.Ending(error) == expected)
        #expect(BackgroundBook.Ending(nil) == .made)
    }

    @Test func `disturbed work rests for a moment, and a row of failures goes on behind it`() {
        var book = BackgroundBook(most: 1)
        _ = book.begin("a", for: "x", at: 0)
        book.end("a", .failed, at: 0)
        for now in [60.0, 70, 80] {
            #expect(book.begin("a", for: "x", at: now) == .begins)
            book.end("a", .disturbed, at: now)
            #expect(book.standing(of: "a", at: now) == .unknown && book.begin("a", for: "x", at: now) == .rests(10))
        }
        _ = book.begin("a", for: "x", at: 90)
        book.end("a", .failed, at: 90)
        #expect(book.begin("a", for: "x", at: 90) == .rests(120))
    }

    @Test func `dismissed work is needless for its time, at most an hour`() {
        var book = BackgroundBook(most: 1)
        book.dismiss("a", for: 30, at: 0)
        book.dismiss("b", for: .infinity, at: 0)
        #expect(book.standing(of: "a", at: 29) == .needless && book.standing(of: "a", at: 30) == .unknown)
        #expect(book.standing(of: "b", at: 3599) == .needless && book.standing(of: "b", at: 3600) == .unknown)
    }

    @Test func `the ends that are over first are forgotten when there are too many`() {
        var book = BackgroundBook(most: 1)
        for index in 0...BackgroundBook.mostEnds { book.dismiss("\(index)", for: Double(1 + index), at: 0) }
        #expect(book.standing(of: "0", at: 0) == .unknown && book.standing(of: "255", at: 0) == .unknown)
        #expect(book.standing(of: "256", at: 0) == .needless && book.standing(of: "\(BackgroundBook.mostEnds)", at: 0) == .needless)
    }
}
