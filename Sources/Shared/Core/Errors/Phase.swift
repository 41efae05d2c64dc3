/// Where in the way of an image something happened.
package enum Phase: String, Sendable, CaseIterable, Hashable {
    case admission, cache, queue, download, decode, transform, encode, store, deliver
}
