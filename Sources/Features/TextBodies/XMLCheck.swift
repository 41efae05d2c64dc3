import CExpat

/// Whether a text is well-formed XML, by Expat. Pure.
///
/// Declarations within the document are refused before any of them is read. No entity is ever declared, expanded or fetched. A DOCTYPE that only names an
/// external DTD is accepted, and that DTD is never read. Expat is linked already, by fontconfig; libxml2 would read and fetch far more than is wanted here.
enum XMLCheck {
    private struct State {
        let parser: OpaquePointer
        let maxLevels: Int
        var levels = 0
        var refusal: String?

        mutating func refuse(_ reason: String) {
            if refusal == nil { refusal = reason }
            XML_StopParser(parser, 0)
        }
    }

    /// Returns the fault of the text with its line, or nil.
    /// - Parameter text: UTF-8, whatever its declaration says.
    static func fault(of text: [UInt8], maxLevels: Int) -> String? {
        guard text.count <= Int32.max else { return "longer than can be read" }
        guard let parser = XML_ParserCreate("UTF-8") else { return "no memory to read it" }
        defer { XML_ParserFree(parser) }
        var state = State(parser: parser, maxLevels: maxLevels)
        return withUnsafeMutablePointer(to: &state) { state in
            XML_SetUserData(parser, state)
            XML_SetStartDoctypeDeclHandler(parser) { state, _, _, _, hasDeclarations in
                if hasDeclarations != 0 { XMLCheck.state(state)?.pointee.refuse("it declares entities or other things of its own") }
            }
            XML_SetElementHandler(
                parser,
                { state, _, _ in
                    guard let state = XMLCheck.state(state) else { return }
                    state.pointee.levels += 1
                    if state.pointee.levels > state.pointee.maxLevels { state.pointee.refuse("nested deeper than \(state.pointee.maxLevels) levels") }
                }, { state, _ in XMLCheck.state(state)?.pointee.levels -= 1 })
            // In one piece: a long token that came in many would be read again with each.
            let status = text.withUnsafeBytes { XML_Parse(parser, $0.baseAddress?.assumingMemoryBound(to: CChar.self), Int32($0.count), 1) }
            if let refusal = state.pointee.refusal { return refusal }
            guard status != XML_STATUS_OK else { return nil }
            let reason = XML_ErrorString(XML_GetErrorCode(parser)).map { String(cString: $0) } ?? "not well-formed"
            return "\(reason) in line \(tintype_xml_line(parser))"
        }
    }

    private static func state(_ pointer: UnsafeMutableRawPointer?) -> UnsafeMutablePointer<State>? { pointer?.assumingMemoryBound(to: State.self) }
}
