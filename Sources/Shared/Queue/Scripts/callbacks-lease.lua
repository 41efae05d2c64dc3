#!lua flags=allow-oom
-- Leases due callbacks to a coordinator that will send them. Hosts take turns, those with the fewest callbacks under way first. A callback whose lease
-- has expired without a reported outcome is due again.
-- KEYS   1 prefix, 2 test clock
-- ARGV
-- - 1: maximum number of callbacks
-- - 2: lease, ms
-- - 3: maximum number under way to one host
-- - 4…: host, number under way
-- answer
-- - {{receipt, token, failed tries, "<host and port> <{"url", "secret"} JSON>", terminal event JSON, host}, …}
local most, out, under_way, lists = tonumber(ARGV[1]), {}, {}, {}
for i = 4, #ARGV, 2 do under_way[ARGV[i]] = tonumber(ARGV[i + 1]) end
local hosts = call('ZRANGE', P .. 'cbs', '-inf', int(now), 'BYSCORE', 'LIMIT', 0, 1000)

local function lease(host) -- leases the next callback of a host, if any
  local list = lists[host]
  if not list then
    list = call('ZRANGE', P .. 'cbh:' .. host, '-inf', int(now), 'BYSCORE', 'LIMIT', 0, ARGV[3])
    list.at = 0
    lists[host] = list
  end
  list.at = list.at + 1
  local rid = list[list.at]
  if not rid then return end
  local key = P .. 'cb:' .. rid
  local m = call('HMGET', key, 'receiver', 'event', 'failures')
  if m[1] then
    call('ZADD', P .. 'cbh:' .. host, int(now + ARGV[2]), rid)
    out[#out + 1] = { rid, call('HINCRBY', key, 'token', 1), tonumber(m[3] or 0), m[1], m[2], host }
  else call('ZREM', P .. 'cbh:' .. host, rid) end -- the record is missing: only after a change from outside
end

for level = 0, ARGV[3] - 1 do
  for _, host in ipairs(hosts) do
    if #out < most and (under_way[host] or 0) <= level then lease(host) end
  end
end
for host in pairs(lists) do summon(host) end
return out
