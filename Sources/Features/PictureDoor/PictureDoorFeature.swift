package import Coordinator
package import TintypeCore
package import TintypeContracts
import TintypeImages
import ImgproxyURLs
package import TintypeSettings
import TintypeTransport

extension Feature {
    /// Pictures under imgproxy's URLs, on a port of their own.
    package static func pictureDoor(_ core: Core, _ settings: PictureDoorSettings, _ common: CoordinatorSettings) throws(SettingError) -> Feature {
        try settings.checkExposure(isOpen: common.isOpen)
        core.http.rates = settings.rate.map { PictureRates($0, metrics: core.process.metrics, logger: core.process.logger) }
        let server = try settings.open().map { DoorServer($0, core, settings, proxies: common.proxies.before(.images)) }
        var feature = Feature(MethodCatalog.pictureDoor)
        feature.methods = [PicturesURL(admission: core.admission, door: { server?.door })]
        feature.port = server
        feature.reload = { if let server { await reload(server, settings, core.process) } }
        return feature
    }

    /// Reads the keys and presets again. After a mistake, the old ones stay in use.
    private static func reload(_ server: DoorServer, _ settings: PictureDoorSettings, _ process: CoreProcess) async {
        do {
            guard let door = try await process.files.run({ try settings.open() }) else { return }
            server.door = door
            process.logger.notice("keys and presets of pictures read", ["keys": door.signature.pairs.count, "presets": door.policy.presets.names.count])
        } catch {
            process.logger.error(
                "the keys or presets of pictures cannot be used; the old ones stay in use", ["error": (error as? SettingError)?.message ?? "\(error)"])
        }
    }
}
