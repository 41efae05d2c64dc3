#!lua flags=no-writes
-- Reads the state of the queue.
-- KEYS   1 prefix, 2 test clock
-- ARGV   1 lease (ms), 2 0: no host limits
-- answer nil for an unknown queue, else a list of
-- - order fifo|lifo
-- - 1|0 paused
-- - maxConcurrent
-- - maxConcurrentPerHost
-- - maxQueued
-- - queued
-- - delayed
-- - running
-- - dead
-- - age of the oldest waiting fetch in ms, or -1
-- - {host, limit, …}
-- - {throttled host, until, …}
-- - {pattern of hosts, rule:limit, …}
-- - workers with a heartbeat within the lease
-- - sources on the blacklist
-- - {throttled host that asked for its pause, …}
-- - dead letters so far
if not cfg.made then return false end
local hasHosts = ARGV[2] ~= '0'
local oldest
local function seen(first)
  local t0 = first[1] and tonumber(call('HGET', P .. 'f:' .. first[1], 'queuedAt'))
  if t0 and (not oldest or t0 < oldest) then oldest = t0 end
end
for _, list in ipairs { 'aq', 'ao' } do
  local first = call('ZRANGE', P .. list, 0, 0, 'WITHSCORES')
  while first[1] do
    local base = math.floor(first[2] / BAND) * BAND
    local next_ = int(base + BAND)
    if list == 'aq' then seen(first)
    else -- newest first, so the oldest is the last of the lower half or the first of the upper
      seen(call('ZRANGE', P .. list, '(' .. int(base + MIDDLE), int(base), 'BYSCORE', 'REV', 'LIMIT', 0, 1))
      seen(call('ZRANGE', P .. list, int(base + MIDDLE), '(' .. next_, 'BYSCORE', 'LIMIT', 0, 1))
    end
    first = call('ZRANGE', P .. list, next_, '+inf', 'BYSCORE', 'LIMIT', 0, 1, 'WITHSCORES')
  end
end
local held, asking = cfg.held and call('ZRANGE', P .. 'held', '(' .. int(now), '+inf', 'BYSCORE', 'LIMIT', 0, 100, 'WITHSCORES') or {}, {}
for i = 1, #held, 2 do -- a pace of rules throttles a host for no longer than itself
  if not cfg.hosts0 or held[i + 1] - now > (ruled(held[i], '/') or 0) then asking[#asking + 1] = held[i] end
end
return {
  cfg.order, cfg.paused and 1 or 0, cfg.max, cfg.hmax, cfg.maxq, waiting(), call('ZCARD', P .. 'delay'),
  call('ZCARD', P .. 'run'), call('ZCARD', P .. 'dead'), oldest and now - oldest or -1,
  hasHosts and call('HGETALL', P .. 'hlim') or {}, held, hasHosts and cfg.hosts0 and call('HGETALL', P .. 'hlim0') or {}, call('ZCOUNT', P .. 'wseen', now - ARGV[1], '+inf'),
  call('ZCOUNT', P .. 'bl', '(' .. int(now), '+inf'), asking, tonumber(call('HGET', CFG, 'deadLetters') or 0),
}
