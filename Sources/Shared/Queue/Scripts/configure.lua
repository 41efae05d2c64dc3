#!lua flags=allow-oom
-- Makes a queue and changes its settings. A change takes effect at the next claim.
-- KEYS   1 prefix, 2 test clock
-- ARGV
-- - 1: "1" makes the queue if it does not exist
-- - 2: "1" replaces the host limits by those at the end
-- - 3: number of settings that follow
-- - 4…: field, value of each setting (order fifo|lifo, maxConcurrent, maxConcurrentPerHost, maxQueued, paused 0|1, mark), then host, limit, …
-- answer
-- - "OK"
-- - "MADE": the queue was made by this call
-- - "UNKNOWN": no such queue, and none was made
if not cfg.made and ARGV[1] ~= '1' then return 'UNKNOWN' end
local n = tonumber(ARGV[3])
local order, most, hmax, made = cfg.order, cfg.max, cfg.hmax, cfg.made
call('HSET', P .. 'cfg', 'made', 1, 'configuredAt', int(now), unpack(ARGV, 4, 3 + 2 * n))
if ARGV[2] == '1' then
  call('DEL', P .. 'hlim')
  for i = 4 + 2 * n, #ARGV, 2 do call('HSET', P .. 'hlim', ARGV[i], ARGV[i + 1]) end
  call('HSET', P .. 'cfg', 'hasHostLimits', call('EXISTS', P .. 'hlim'))
end
refresh()
-- No other change affects ranks, and many hosts take long.
if ARGV[2] == '1' or cfg.order ~= order or cfg.hmax ~= hmax then
  for _, h in ipairs(call('ZRANGE', P .. 'ready', 0, -1)) do sync(h) end
elseif cfg.max ~= most then sync('data:') end
wake()
return made and 'OK' or 'MADE'
