#!lua flags=allow-oom
-- Removes a queue that is not needed: it is empty, no worker serves it, it was not used for long, and it has no setting. The keys left over expire;
-- there are none, unless the queue was used meanwhile.
-- KEYS   1 prefix, 2 test clock
-- ARGV
-- - 1: least ms since it was made or configured
-- - 2: least ms since a coordinator or worker used it
-- answer
-- - "OK": it does not exist, now or before
-- - "KEPT"
if not cfg.made then return 'OK' end
if QUEUE == 'default' then return 'KEPT' end
local unset = { v = 1, made = 1, configuredAt = 1, usedAt = 1, defaultMaxQueued = 1, hasHostRules = 1 }
for _, name in ipairs(call('HKEYS', CFG)) do
  if not unset[name] then return 'KEPT' end
end
local since, used = unpack(call('HMGET', CFG, 'configuredAt', 'usedAt'))
if not since then -- made by a version that did not record this: as if it were used now
  call('HSET', CFG, 'configuredAt', int(now), 'usedAt', int(now))
  return 'KEPT'
end
if now - since < tonumber(ARGV[1]) or used and now - used < tonumber(ARGV[2]) then return 'KEPT' end
for _, name in ipairs({ 'aq', 'ao', 'run', 'delay', 'dl', 'dead', 'bl', 'cbs', 'held', 'hlim', 'co', 'workers', 'wseen' }) do
  if call('EXISTS', P .. name) == 1 then return 'KEPT' end
end
call('DEL', CFG, P .. 'hlim0', P .. 'mark', P .. 'seq', P .. 'cseq', P .. 'quiet')
return 'OK'
