#!lua flags=allow-oom
-- Reads the state of receipts, for a coordinator that may have missed a message.
-- KEYS   1 prefix, 2 test clock
-- options
-- - taker: coordinator that takes over live receipts for which no client waits at their own one. That one has left them, or has sent no
--   heartbeat for a lease. Absent: none are taken over.
-- - waits: "1" if a client waits at this coordinator. It is recorded among those that wait for receipts that it does not take over.
-- - lease: ms
-- items
-- - receipts
-- answer, for each receipt
-- - nil: unknown
-- - {succeeded|failed|cancelled, seq, coordinator, fid, meta, terms, at, body}: ended
-- - {queued|delayed|running|paused, seq, coordinator, fid, meta, terms, position or -1, attempts, worker JSON string, progress body, givenUp or ""}: live
local options, first = read_options()
local out, taker, waits = {}, options.taker, options.waits
for i = first, #ARGV do
  local rid = ARGV[i]
  local r = call('HMGET', P .. 'r:' .. rid, 'state', 'seq', 'coordinator', 'fetch', 'meta', 'terms', 'at', 'end', 'fingerprint', 'left', 'givenUp', 'paused')
  if not r[9] then out[i - first + 1] = false
  elseif r[1] then out[i - first + 1] = { r[1], tonumber(r[2]), r[3], r[4], r[5] or '', r[6] or '', r[7], r[8] }
  else
    local is_free = r[10] or r[11] and r[3] == taker or r[3] ~= taker and silent(r[3], options.lease)
    if taker and (is_free or waits and r[3] ~= taker) then
      call('ZADD', P .. 'co', now, taker) -- it is alive, whether or not it has sent a heartbeat
      if is_free then
        adopt(rid, r[4], taker)
        r[3], r[11] = taker, nil
      else follow(rid, taker, true) end
    end
    local st, place_ = standing(r[4])
    if r[12] then st, place_ = 'paused', -1 end
    local f = call('HMGET', P .. 'f:' .. r[4], 'attempts', 'worker', 'progress')
    out[i - first + 1] = { st, tonumber(r[2]), r[3], r[4], r[5] or '', r[6] or '', place_, tonumber(f[1] or 0), f[2] or '', f[3] or '',
      r[11] or '' }
  end
end
return out
