import CCurl

/// The dates of HTTP headers (RFC 9110 §5.6.7), in all three of their forms, read by curl. Pure.
package enum HTTPDate {
    /// The end of the year 9999: HTTP writes years in four digits. curl reads more, up to where milliseconds no longer fit 64 bits.
    package static let last: Int64 = 253_402_300_799

    /// - Returns: epoch seconds, 0 to `last`; nil for what is no date that begins with the name of a day.
    package static func seconds(_ text: String) -> Int64? {
        guard text.utf8.count <= 64, text.utf8.first.map({ (0x41...0x5a).contains($0) }) == true else { return nil }
        let moment = Int64(curl_getdate(text, nil))
        return (0...last).contains(moment) ? moment : nil
    }
}
