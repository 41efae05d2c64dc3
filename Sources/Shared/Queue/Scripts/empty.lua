#!lua flags=allow-oom
-- Withdraws receipts of a queue, those whose deadline is next first; call it until it answers 0.
-- KEYS   1 prefix, 2 test clock
-- ARGV   1 how many at most  2 reason as a JSON string, for their `cancelled` events
-- answer how many were live
local n = 0
for _, rid in ipairs(call('ZRANGE', P .. 'dl', 0, ARGV[1] - 1)) do
  local fid = call('HGET', P .. 'r:' .. rid, 'f')
  if fid then
    local f = call('HMGET', P .. 'f:' .. fid, 'st', 'ph')
    part(rid, fid, 'can', '"reason":' .. ARGV[2] .. ',"phase":"' .. phase(f[1], f[2]) .. '"')
    n = n + 1
  else call('ZREM', P .. 'dl', rid) end
end
wake()
return n
