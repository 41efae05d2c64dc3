/// A wrong command line, with a text for every mistake. Exit status 2.
struct UsageError: Error {
    let mistakes: [String]

    init(_ mistakes: String...) {
        self.mistakes = mistakes
    }

    init(mistakes: [String]) {
        self.mistakes = mistakes
    }
}
