/// The cookies of a transfer, before it and after it: each hop of it sends those that are meant for its server, and takes in what it sets.
///
/// In the lines of Netscape's cookie file, which curl reads and writes. They are secrets: never logged.
@Loop package final class TransferCookies {
    package internal(set) var lines: [String]

    package init(lines: [String]) { self.lines = lines }
}
