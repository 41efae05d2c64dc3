#!lua flags=allow-oom
-- A coordinator's heartbeat. It is recorded, and answered by a numbered ping on the coordinator's own channel, which shows a lost last message.
-- KEYS   1 prefix, 2 test clock
-- ARGV
-- - 1: coordinator
-- - 2: only beside `default`: number of requests that the coordinator counts as work, else ""
-- - 3: lease, ms
-- answer
-- - {three numbers, each -1 where it does not apply}
-- - if the queue is paused, the coordinator's receipts that run; of very many, as many as one script may read
-- - beside `default` the work of all live coordinators
-- - beside `default` the number of live coordinators
call('HSET', CFG, 'usedAt', now, unpack(cfg.v and {} or { 'v', SCHEMA }))
call('ZADD', P .. 'co', now, ARGV[1])
channel(ARGV[1], '', 'ping', '', '')
local run, all, live = -1, -1, -1
if cfg.paused then --@rare
  run = 0
  local reads = 0
  for _, fid in ipairs(call('ZRANGE', P .. 'run', 0, 4095)) do
    if reads > 4096 then break end
    for _, who in ipairs(call('HVALS', P .. 'fr:' .. fid)) do
      reads = reads + 1
      if parse(who) == ARGV[1] then run = run + 1 end
    end
  end
end
if ARGV[2] and ARGV[2] ~= '' then
  all, live = 0, 0
  call('HSET', P .. 'act', ARGV[1], ARGV[2])
  local counts = call('HGETALL', P .. 'act')
  for i = 1, #counts, 2 do
    if silent(counts[i], ARGV[3]) then call('HDEL', P .. 'act', counts[i]) else all, live = all + tonumber(counts[i + 1]), live + 1 end
  end
end
return { run, all, live }
