#!lua flags=allow-oom
-- Handles leases of dead workers, deadlines of receipts, delayed fetches and silent names. Any coordinator whose connection has been whole for one
-- lease calls it each second; several at once do no harm.
-- KEYS   1 prefix, 2 test clock
-- options
-- - most: number of each kind. Besides, one call ends PAGE receipts at most.
-- - jitter: 0…1
-- - failure: JSON of the workerLost error, written for phase "queue" and "attempts":0
-- - workerSilence: ms after which a silent worker is forgotten
-- - coordinatorSilence: ms after which a silent coordinator is dead
-- - latest: time that the clock may show at most, ms; absent: any
-- - undisturbed: ms that a run goes on before it may be asked to yield to another client's
-- answer
-- - {time of the clock}, if the clock shows more. It was set forward, and a worker that could not send a heartbeat by it yet is not dead. Nothing
--   changed.
-- - else a list, as follows
-- - time of the clock
-- - runs taken from dead workers
-- - receipts past their deadline
-- - fetches queued again
-- - workers forgotten
-- - runs asked to yield
-- - 1 if more is due: call again at once; else 0
-- - {dead coordinators: `abandon` them}
local STANDSTILLS = 4
local options = read_options()
if now > (tonumber(options.latest) or now) then return { int(now) } end
local n, taken, late, asked, left = tonumber(options.most), 0, 0, 0, PAGE
-- This comes first, before the script changes anything: a marker that is still there means that no worker has slept.
if cfg.who == '*' and not cfg.paused and (room() <= 0 or call('EXISTS', P .. 'mark') == 1) then --@rare no worker takes more
  asked = make_way(tonumber(options.undisturbed))
end
local lost = call('ZRANGE', P .. 'run', '-inf', '(' .. int(now), 'BYSCORE', 'LIMIT', 0, n)
for _, fid in ipairs(lost) do
  if left <= 0 then break end
  local key = P .. 'f:' .. fid
  local ended, rests = expire(fid, left)
  late, left = late + ended, left - ended
  if rests or left <= 0 then break end -- the run stays until a later call
  local m = call('HMGET', key, 'host', 'source', 'withdrawn', 'phase', 'attempts', 'retryBase', 'overtaken', 'worker', 'lostWorker', 'deaths')
  local waiting_ = call('HLEN', P .. 'fr:' .. fid)
  local causes = m[1] and blame(key, options.failure)
  local failure = m[1] and corrected(options.failure, 'running', m[4], m[5], causes)
  -- A worker that loses the run a second time is alive: it stood still, and does not count as a second killed worker. The number of such standstills
  -- is limited.
  local deaths = (tonumber(m[10]) or 0) + 1
  local dead = deaths > 1 and (m[8] ~= m[9] or deaths > STANDSTILLS)
  if m[1] and not m[3] and dead and fail_some(fid, failure, left) then
    left = 0
    break
  end
  taken, left = taken + 1, left - waiting_
  if m[1] then leave_running(fid, m[1]) else call('ZREM', P .. 'run', fid) end
  if not m[1] then -- the record is missing: only after a change from outside
  elseif m[3] then end_fetch(fid, m[3] == 'unserved' and 'cancelled' or 'succeeded', m[2], m[7])
  elseif waiting_ == 0 then end_fetch(fid, 'succeeded', m[2], m[7])
  elseif dead then fail(fid, 'dead', m[2], m[7], nil, failure)
  else
    call('HSET', key, 'deaths', deaths, 'lostWorker', m[8] or '')
    later(fid, math.floor(math.min(250, tonumber(m[6] or USUAL_BASE)) * (0.5 + options.jitter)), m[5], failure, causes)
  end
end
local more = left <= 0 or #lost == n
n = math.min(n, math.max(left, 0))
local overdue = call('ZRANGE', P .. 'dl', '-inf', now, 'BYSCORE', 'LIMIT', 0, n)
for _, rid in ipairs(overdue) do
  local fid = call('HGET', P .. 'r:' .. rid, 'fetch')
  late = late + 1
  if fid then part(rid, fid, 'failed', lateness(fid))
  else call('ZREM', P .. 'dl', rid) end
end
if #overdue == n then more = true end
n = tonumber(options.most)
local before = call('ZCARD', P .. 'delay')
promote(n)
local promoted = before - call('ZCARD', P .. 'delay')
if promoted == n then more = true end
if cfg.held then resume(n) end
local forgotten = call('ZRANGE', P .. 'wseen', '-inf', now - options.workerSilence, 'BYSCORE', 'LIMIT', 0, n)
for _, worker in ipairs(forgotten) do
  call('ZREM', P .. 'wseen', worker)
  call('HDEL', P .. 'workers', worker)
  call('SREM', P .. 'quiet', worker)
end
for _, d in ipairs(call('ZRANGE', P .. 'bl', '-inf', now, 'BYSCORE', 'LIMIT', 0, n)) do blacklist(d) end
for _, fid in ipairs(call('ZRANGE', P .. 'dead', '-inf', now - LETTER, 'BYSCORE', 'LIMIT', 0, n)) do call('ZREM', P .. 'dead', fid) end
if cfg.who and call('EXISTS', P .. 'aq', P .. 'ao', P .. 'delay', P .. 'run') == 0 then -- no fetch is left that could belong to a client
  call('HDEL', P .. 'cfg', 'client', 'firstClient', 'yieldedAt')
  call('DEL', P .. 'cl')
end
wake()
return { int(now), taken, late, promoted, #forgotten, asked, more and 1 or 0, call('ZRANGE', P .. 'co',
  '-inf', now - options.coordinatorSilence, 'BYSCORE', 'LIMIT', 0, n) }
