#!lua flags=allow-oom
-- Takes away a queue that nobody has a use for: nothing is in it, nobody serves it or has had to do with it for long, and nobody has given it
-- a setting. What is left of it expires: there is nothing, unless somebody had to do with it.
-- KEYS   1 prefix, 2 test clock
-- ARGV   1 ms since it was made or configured, at least  2 … since a coordinator or worker had to do with it
-- answer "OK" (it is not there, now or before), or "KEPT"
if not cfg.made then return 'OK' end
if QUEUE == 'default' then return 'KEPT' end
local unset = { v = 1, made = 1, since = 1, used = 1, maxq0 = 1, hosts0 = 1 }
for _, name in ipairs(call('HKEYS', CFG)) do
  if not unset[name] then return 'KEPT' end
end
local since, used = unpack(call('HMGET', CFG, 'since', 'used'))
if not since then -- made by a program that did not note such things: as if it were used now
  call('HSET', CFG, 'since', int(now), 'used', int(now))
  return 'KEPT'
end
if now - since < tonumber(ARGV[1]) or used and now - used < tonumber(ARGV[2]) then return 'KEPT' end
for _, name in ipairs({ 'aq', 'ao', 'run', 'delay', 'dl', 'dead', 'bl', 'cbs', 'held', 'hlim', 'co', 'workers', 'wseen' }) do
  if call('EXISTS', P .. name) == 1 then return 'KEPT' end
end
call('DEL', CFG, P .. 'hlim0', P .. 'mark', P .. 'seq', P .. 'cseq', P .. 'quiet')
return 'OK'
