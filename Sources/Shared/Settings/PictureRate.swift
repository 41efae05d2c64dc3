package import TintypeCore

/// The requests and new pictures a second that one address may ask for. Those of ten seconds may come at once. A pure value.
package struct PictureRate: Sendable, Hashable {
    /// The limited things, by their words in metrics.
    package enum Kind: String, Sendable, CaseIterable {
        case requests
        /// Pictures that have to be made.
        case pictures
    }

    /// The seconds whose requests may come at once after a rest. A page may have 200 pictures.
    package static let burst = 10
    package static let most = 1_000_000

    /// 0: any number.
    package let requests: Int
    /// 0: any number.
    package let pictures: Int

    package init(requests: Int, pictures: Int) { (self.requests, self.pictures) = (requests, pictures) }

    /// Returns the number a second; 0: any number.
    package subscript(kind: Kind) -> Int {
        switch kind {
        case .requests: requests
        case .pictures: pictures
        }
    }
}

extension SettingType where Value == PictureRate {
    /// `100/20`: requests and new pictures.
    package static var pictureRate: SettingType {
        SettingType(
            placeholder: "N/N",
            parse: { text throws(SettingError) in
                let numbers = text.split(separator: "/", omittingEmptySubsequences: false).map { WireNumber.digits($0).map(Int.init) ?? -1 }
                guard numbers.count == 2, numbers.allSatisfy({ (0...PictureRate.most).contains($0) }) else {
                    throw .expected("two numbers from 0 to \(PictureRate.most) with a slash between, such as 100/20", got: text)
                }
                return PictureRate(requests: numbers[0], pictures: numbers[1])
            },
            text: { "\($0.requests)/\($0.pictures)" })
    }
}
