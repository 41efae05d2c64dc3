/// The kind of a body that is no picture and stands in the result itself.
package enum DocumentKind: String, Sendable, CaseIterable, Hashable {
    case json, text, xml

    /// The member of a result that has it.
    package var member: String {
        switch self {
        case .json: "json"
        case .text, .xml: "text"
        }
    }

    /// The content type of its bytes. Text is UTF-8 by then, in any charset it came.
    package var contentType: String {
        switch self {
        case .json: "application/json"
        case .text: "text/plain; charset=utf-8"
        case .xml: "application/xml; charset=utf-8"
        }
    }
}

extension Rendition.Mode {
    /// The kind of document that the body has to be; nil for a picture, and for a body that is not read.
    package var document: DocumentKind? {
        switch self {
        case .json: .json
        case .text: .text
        case .xml: .xml
        case .image, .bytes, .probe: nil
        }
    }
}
