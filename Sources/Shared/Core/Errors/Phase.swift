/// The phase of a request in which something happened.
package enum Phase: String, Sendable, CaseIterable, Hashable {
    case admission, cache, queue, download, decode, transform, encode, store, deliver
}
