import TintypeCore
import TintypeTransport
import TintypeStores

/// Previews on their way: their events name where the picture lies, and clients get the picture itself.
extension ResultDelivery {
    /// Puts the picture into the event of a preview and hands it to `then`, unless it is gone by now.
    func complete(preview event: ReceiptEvent, then: @escaping @Loop (ReceiptEvent) -> Void) {
        guard var members = event.members(), let key = members["key"]?.string else { return }
        scope.run("preview") { [self] in
            guard let jpeg = await held.preview(key) else { return }
            members["key"] = nil
            members["data"] = .string(Base64.text(of: jpeg))
            then(ReceiptEvent(type: event.type, sequence: event.sequence, at: event.at, body: members.fragment))
        }
    }
}
