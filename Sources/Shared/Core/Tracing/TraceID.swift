/// The id of a trace: 16 bytes, not all zero (W3C Trace Context, §3.2.2.3).
package struct TraceID: Sendable, Hashable, CustomStringConvertible {
    private let high: UInt64
    /// The last eight bytes. Samplers decide by these, because they are random in all implementations.
    package let low: UInt64

    /// Makes a random id.
    package static func random() -> TraceID { TraceID(high: .random(in: .min ... .max), low: .random(in: 1 ... .max)) }

    private init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

    /// Reads 32 lower-case hex digits; nil for anything else, and for zeros.
    package init?(_ text: some StringProtocol) {
        guard text.utf8.count == 32, let high = SpanID.number(text.utf8.prefix(16)), let low = SpanID.number(text.utf8.suffix(16)), high | low != 0 else {
            return nil
        }
        self.init(high: high, low: low)
    }

    /// The id as 32 lower-case hex digits.
    package var description: String { SpanID.hex(high) + SpanID.hex(low) }
}

/// The id of a span: 8 bytes, not all zero (W3C Trace Context, §3.2.2.4).
package struct SpanID: Sendable, Hashable, CustomStringConvertible {
    private let number: UInt64

    /// Makes a random id.
    package static func random() -> SpanID { SpanID(number: .random(in: 1 ... .max)) }

    private init(number: UInt64) { self.number = number }

    /// Reads 16 lower-case hex digits; nil for anything else, and for zeros.
    package init?(_ text: some StringProtocol) {
        guard let number = Self.number(text.utf8), number != 0 else { return nil }
        self.init(number: number)
    }

    /// The id as 16 lower-case hex digits.
    package var description: String { Self.hex(number) }

    static func hex(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }

    /// Reads 16 lower-case hex digits.
    static func number(_ digits: some Collection<UInt8>) -> UInt64? {
        guard digits.count == 16 else { return nil }
        var number: UInt64 = 0
        for byte in digits {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): number = number << 4 | UInt64(byte - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"): number = number << 4 | UInt64(byte - UInt8(ascii: "a") + 10)
            default: return nil
            }
        }
        return number
    }
}
