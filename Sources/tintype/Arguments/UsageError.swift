/// The command line is wrong: every mistake in words. Exit status 2.
struct UsageError: Error {
    let mistakes: [String]

    init(_ mistakes: String...) {
        self.mistakes = mistakes
    }

    init(mistakes: [String]) {
        self.mistakes = mistakes
    }
}
