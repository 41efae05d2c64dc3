import Coordinator
import TintypeCore
import ImgproxyURLs
import TintypeImages
import TintypeTransport

/// `pictures.url`: the URL of the picture door for a request, signed. The keys stay here.
struct PicturesURL: RPCMethod {
    let name = "pictures.url"
    let admission: Admission
    /// Returns the door with its present keys; nil: it is not open.
    let door: @Loop () -> PictureDoor?

    func begin(_ call: Call, _ params: JSON) throws(TintypeError) {
        let request = try ImageRequest(params)
        // Rules may deny the source. Their other words count for the picture URL too.
        _ = try ImageRequest(params, rules: admission.rules)
        guard let door = door() else {
            throw TintypeError(
                .invalidRequest, .admission, "this coordinator has no picture door: start it with --images ADDRESS and --images-keys FILE, then ask again")
        }
        do throws(DoorRefusal) {
            let path = try door.path(to: request, now: Int(WallClock.now))
            call.succeed(["path": .string(path), "signed": .bool(!door.signature.pairs.isEmpty)])
        } catch {
            throw error.error
        }
    }
}
