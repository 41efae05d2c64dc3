/// The cookies before and after a transfer. Each hop sends the ones meant for its server, and stores those that it sets.
///
/// The lines have the format of Netscape's cookie file, which curl reads and writes. Cookies are secrets: never log them.
@Loop package final class TransferCookies {
    package internal(set) var lines: [String]

    package init(lines: [String]) { self.lines = lines }
}
