#!lua flags=allow-oom
-- Changes a live receipt's priority; its fetch moves to the highest among its receipts.
-- KEYS   1 prefix, 2 test clock
-- ARGV   1 receipt  2 priority
-- answer the priority of the fetch now, or nil if the receipt is unknown or has ended
local rid, p = ARGV[1], math.max(-256, math.min(255, tonumber(ARGV[2])))
local r = call('HMGET', P .. 'r:' .. rid, 'f', 'p', 'st')
if not r[1] or r[3] then return false end
local fid, old = r[1], tonumber(r[2])
if p ~= old then
  call('HSET', P .. 'r:' .. rid, 'p', p)
  local who = call('HGET', P .. 'fr:' .. fid, rid)
  call('HSET', P .. 'fr:' .. fid, rid, string.sub(who, 1, 2) .. p .. string.match(who, '^..%-?%d+( .*)$'))
  count(fid, p, 1)
  count(fid, old, -1)
end
wake()
return tonumber(call('HGET', P .. 'f:' .. fid, 'p'))
