#!lua flags=allow-oom
-- Leases callbacks that are due to whoever will send them. One whose lease has ended without a word of its outcome is due again.
-- KEYS   1 prefix, 2 test clock
-- ARGV   1 how many at most  2 lease, ms
-- answer {{receipt, token, tries that have failed, {"url", "secret"} JSON, terminal event JSON}, …}
local out = {}
for _, rid in ipairs(call('ZRANGE', P .. 'cbs', '-inf', int(now), 'BYSCORE', 'LIMIT', 0, ARGV[1])) do
  local key = P .. 'cb:' .. rid
  local m = call('HMGET', key, 'to', 'ev', 'n')
  if m[1] then
    call('ZADD', P .. 'cbs', int(now + ARGV[2]), rid)
    out[#out + 1] = { rid, call('HINCRBY', key, 'tok', 1), tonumber(m[3] or 0), m[1], m[2] }
  else call('ZREM', P .. 'cbs', rid) end -- its record is gone: only by a hand from outside
end
return out
