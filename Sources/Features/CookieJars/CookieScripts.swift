import TintypeTransport

/// The scripts that change a cookie jar in Redis, each in one step. Reading a jar counts as a use. Writing a jar keeps the jar and the
/// number of jars within their limits.
///
/// Besides the jars there are three sorted sets. `used` and `used@<scope>` hold jars by their last use in µs. `ends` holds jars by their expiry in ms
/// and removes expired jars from the other two.
enum CookieScripts {
    /// Answers like HGETALL.
    static let read = LuaScript(name: "cookieread", source: library + reading)
    static let write = LuaScript(name: "cookiewrite", source: library + writing)

    private static let library = #"""
        -- KEYS   1 prefix
        -- ARGV   1 jar: its name, and behind an @ the hash of its scope  2 ms that it lives from now on at the least
        local P, member, time = KEYS[1], ARGV[1], redis.call('TIME')
        local now = string.format('%.0f', time[1] * 1000000 + time[2])
        local ms = time[1] * 1000 + math.floor(time[2] / 1000)
        local function scoped(name) return P .. 'used@' .. (string.match(name, '@(.*)$') or '') end
        local key, all, own, ends = P .. 'jar:' .. member, P .. 'used', scoped(member), P .. 'ends'

        local function use(life)
          if redis.call('PTTL', key) < tonumber(life) then redis.call('PEXPIRE', key, life) end
          redis.call('ZADD', all, now, member)
          redis.call('ZADD', own, now, member)
          redis.call('ZADD', ends, string.format('%.0f', ms + redis.call('PTTL', key)), member)
          for _, set in ipairs({ all, own, ends }) do redis.call('PEXPIRE', set, '2678400000') end -- a day longer than any jar
        end

        """#

    private static let reading = #"""
        local cookies = redis.call('HGETALL', key)
        if cookies[1] then pcall(use, ARGV[2]) end -- a Redis that is full is still read
        return cookies
        """#

    private static let writing = #"""
        -- ARGV   3 most bytes of the jar  4 most jars of its scope  5 most jars  6 number of cookies that are kept  7… two for each of these: key, line;
        --        then the keys of those that are gone
        local function forget(name)
          redis.call('DEL', P .. 'jar:' .. name)
          for _, set in ipairs({ all, scoped(name), ends }) do redis.call('ZREM', set, name) end
        end

        -- HSET first: Redis out of memory refuses it before anything has changed.
        local behind = 7 + 2 * tonumber(ARGV[6])
        for i = 7, behind - 1, 2 do redis.call('HSET', key, ARGV[i], now .. '\t' .. ARGV[i + 1]) end
        for i = behind, #ARGV do redis.call('HDEL', key, ARGV[i]) end

        local fields, bytes, cookies = redis.call('HGETALL', key), 0, {}
        for i = 1, #fields, 2 do
          local size = #fields[i] + #fields[i + 1]
          bytes = bytes + size
          cookies[#cookies + 1] = { name = fields[i], size = size, at = tonumber(string.match(fields[i + 1], '^(%d+)\t')) or 0 }
        end
        if bytes > tonumber(ARGV[3]) then
          table.sort(cookies, function(a, b)
            if a.at ~= b.at then return a.at < b.at end
            return a.name < b.name
          end)
          for _, cookie in ipairs(cookies) do
            if bytes <= tonumber(ARGV[3]) then break end
            redis.call('HDEL', key, cookie.name)
            bytes = bytes - cookie.size
          end
        end
        if redis.call('EXISTS', key) == 0 then
          forget(member)
          return 'OK'
        end
        use(ARGV[2])

        for _, name in ipairs(redis.call('ZRANGEBYSCORE', ends, '-inf', string.format('%.0f', ms), 'LIMIT', '0', '100')) do forget(name) end
        local function bound(set, most)
          local over = redis.call('ZCARD', set) - tonumber(most)
          if over <= 0 then return end
          for _, name in ipairs(redis.call('ZRANGE', set, '0', string.format('%.0f', over - 1))) do forget(name) end
        end
        bound(own, ARGV[4])
        bound(all, ARGV[5])
        return 'OK'
        """#
}
