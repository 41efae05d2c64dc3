#!lua flags=allow-oom
-- Changes the priority of a live receipt. Its fetch gets the highest priority among its receipts.
-- KEYS   1 prefix, 2 test clock
-- ARGV
-- - 1: receipt
-- - 2: priority
-- answer
-- - the new priority of the fetch
-- - nil if the receipt is unknown or has ended
local rid, p = ARGV[1], math.max(-256, math.min(255, tonumber(ARGV[2])))
local r = call('HMGET', P .. 'r:' .. rid, 'fetch', 'state')
local who = r[1] and not r[2] and call('HGET', P .. 'fr:' .. r[1], rid)
if not who then return false end
local fid, co, old, wish, meta = r[1], parse(who)
if p ~= old then
  call('HSET', P .. 'fr:' .. fid, rid, entry(co, p, wish, meta))
  count(fid, p, 1)
  count(fid, old, -1)
end
wake()
return tonumber(call('HGET', P .. 'f:' .. fid, 'priority'))
