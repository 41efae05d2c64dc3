/// The version of our keys in a Redis and their fields.
package enum RedisSchema {
    /// A change of keys or fields that an older program would misread raises it.
    package static let number = "4"
}
