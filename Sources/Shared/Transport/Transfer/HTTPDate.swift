import CCurl

/// The dates of HTTP headers (RFC 9110 §5.6.7), in all three of their formats, parsed by curl. Pure.
package enum HTTPDate {
    /// The end of the year 9999, since HTTP writes years with four digits. Later dates parse too, up to where milliseconds no longer fit into 64 bits.
    package static let last: Int64 = 253_402_300_799

    /// Parses a date.
    /// - Returns: epoch seconds, from 0 to `last`; nil for text that is no date beginning with the name of a day.
    package static func seconds(_ text: String) -> Int64? {
        guard text.utf8.count <= 64, text.utf8.first.map({ (0x41...0x5a).contains($0) }) == true else { return nil }
        let moment = Int64(curl_getdate(text, nil))
        return (0...last).contains(moment) ? moment : nil
    }
}
