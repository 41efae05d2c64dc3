import CCurl

/// One easy handle of curl and the memory that it borrows. One `Transfer` owns it and frees it.
struct CurlEasy: ~Copyable {
    let pointer: OpaqueHandle
    private var headers: UnsafeMutablePointer<curl_slist>?
    /// The buffer in which curl describes an error in more detail than its code.
    private let said = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))

    typealias OpaqueHandle = UnsafeMutableRawPointer

    init() {
        guard let pointer = curl_easy_init() else { fatalError("curl_easy_init: out of memory") }
        self.pointer = pointer
        said.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        set(CURLOPT_ERRORBUFFER, UnsafeMutableRawPointer(said))
    }

    deinit {
        curl_easy_cleanup(pointer)
        curl_slist_free_all(headers)
        said.deallocate()
    }

    func set(_ option: CURLoption, _ value: Int) { tintype_curl_set_long(pointer, option, value) }
    func set(_ option: CURLoption, offset value: Int64) { tintype_curl_set_offset(pointer, option, curl_off_t(value)) }
    /// curl copies the text; nil removes the option.
    func set(_ option: CURLoption, _ value: String?) { tintype_curl_set_string(pointer, option, value) }
    func set(_ option: CURLoption, _ value: UnsafeMutableRawPointer) { tintype_curl_set_pointer(pointer, option, value) }
    func set(_ option: CURLoption, _ callback: tintype_curl_data) { tintype_curl_set_data(pointer, option, callback) }

    /// Sets headers besides curl's own. A name without a value is sent empty.
    /// - Parameter omitted: the headers of curl's own that are not sent.
    mutating func setHeaders(_ lines: [(name: String, value: String)], without omitted: [String]) {
        for line in lines {
            let text = line.value.isEmpty ? "\(line.name);" : "\(line.name): \(line.value)"
            if let longer = curl_slist_append(headers, text) { headers = longer }
        }
        for name in omitted { if let longer = curl_slist_append(headers, "\(name):") { headers = longer } }
        tintype_curl_set_list(pointer, CURLOPT_HTTPHEADER, headers)
    }

    /// Returns the description of an error from curl.
    func errorText(_ code: CURLcode) -> String {
        let text = String(cString: said)
        return text.isEmpty ? String(cString: curl_easy_strerror(code)) : text
    }

    func number(_ info: CURLINFO) -> Int {
        var value = 0
        tintype_curl_get_long(pointer, info, &value)
        return value
    }

    func offset(_ info: CURLINFO) -> Int64 {
        var value: curl_off_t = 0
        tintype_curl_get_offset(pointer, info, &value)
        return Int64(value)
    }

    /// Returns whether one of the pins is the key of the server's certificate or of an authority in its chain. Only while the transfer has a connection.
    /// - Parameter pins: the SHA-256 of each key in DER, 32 bytes each, concatenated.
    func shows(oneOf pins: [UInt8]) -> Bool { tintype_curl_is_pinned(pointer, pins, pins.count / 32) != 0 }

    /// Returns a list that curl has allocated for the caller.
    func list(_ info: CURLINFO) -> [String] {
        var list: UnsafeMutablePointer<curl_slist>?
        tintype_curl_get_list(pointer, info, &list)
        defer { curl_slist_free_all(list) }
        var texts: [String] = []
        var next = list
        while let item = next {
            if let data = item.pointee.data { texts.append(String(cString: data)) }
            next = item.pointee.next
        }
        return texts
    }

    func string(_ info: CURLINFO) -> String? {
        var value: UnsafePointer<CChar>?
        tintype_curl_get_string(pointer, info, &value)
        return value.map { String(cString: $0) }
    }
}
