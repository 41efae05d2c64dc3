#!lua flags=allow-oom
-- Gives a worker the best waiting fetches for which there is room, each with a lease and a fencing token.
-- KEYS   1 prefix, 2 test clock
-- ARGV
-- - 1: worker as a JSON string
-- - 2: maximum number of fetches
-- - 3: lease, ms
-- - 4…: hosts that the worker prefers
-- answer
-- - {ms until the next delayed fetch is due or throttled host is free, or -1, claimed fetch, …}
-- A claimed fetch is a list of
-- - fid
-- - token
-- - attempt
-- - host
-- - ms queued
-- - ms to its last deadline
-- - least ms between two reports of progress, or 0
-- - time to keep results: ms, 0, `bytes` or `fresh`
-- - {"source", fetch JSON, digest, "<n> <rendition JSON>", …}
-- - timeouts of the download, or ""
-- - 1|0 keep its source
-- - {throttled host of the fetch, ms, …}
-- - the traces of its requests, as `traceparent`; a space between
local function resting(hosts) -- the throttled hosts among a fetch's mirrors: the fetch waits for another one, and these must not be asked either
  local found = {}
  for h in string.gmatch(cfg.held and hosts or '', '%S+') do
    local till = call('ZSCORE', P .. 'held', h)
    if till and till - now > 0 then found[#found + 1] = h; found[#found + 1] = till - now end
  end
  return found
end

local due = call('ZRANGE', P .. 'delay', '0', '0', 'WITHSCORES')
if due[2] and due[2] - now <= 0 then --@rare
  promote(64)
  due = call('ZRANGE', P .. 'delay', 0, 0, 'WITHSCORES')
end
if cfg.held then --@rare
  resume(64)
  local first = call('ZRANGE', P .. 'held', 0, 0, 'WITHSCORES')
  if first[2] and (not due[2] or first[2] - due[2] < 0) then due = first end
end
local out = { due[2] and math.max(0, due[2] - now) or -1 }
local free, more, heard = room(), true, 0
for _ = 1, math.min(tonumber(ARGV[2]), free) do
  local h, rank = unpack(call('ZRANGE', P .. 'ready', '0', '0', 'WITHSCORES'))
  if not h or rank == 'inf' then
    more = false
    break
  end
  if #ARGV > 3 then --@rare
    h = preferred(h, rank, 4)
  end
  local _, fid, after = best(P .. 'hq:' .. h, P .. 'ho:' .. h)
  if cfg.who == '*' then --@rare
    local other, host = fairest(fid)
    if other then fid, h, after = other, host, nil end
  end
  local key = P .. 'f:' .. fid
  local m = call('HMGET', key, 'order', 'queuedAt', 'deadline', 'progressInterval', 'resultTime', 'attempts', 'lastToken', 'timeouts', 'forgets', 'hosts', 'traces')
  if not m[2] then -- the record is missing: only after a change from outside
    call('ZREM', P .. 'hq:' .. h, fid)
    call('ZREM', P .. 'aq', fid)
    unplace(fid, h, 'o')
    break
  end
  -- The token contains the time, so that no token comes twice, even if Redis loses its last writes.
  local attempt, token = (tonumber(m[6]) or 0) + 1, int(math.max(now * 1024, (tonumber(m[7]) or 0) + 1))
  call('HSET', key, 'state', 'running', 'token', token, 'lastToken', token, 'worker', ARGV[1], 'startedAt', now, 'attempts', attempt)
  call('ZADD', P .. 'run', now + ARGV[3], fid)
  call('SADD', P .. 'hr:' .. h, fid)
  if cfg.who == '*' then --@rare
    call('SADD', P .. 'cr:' .. whose(fid), fid)
  end
  unplace(fid, h, m[1], after)
  heard = heard + emit(fid, 'started', '"worker":' .. ARGV[1] .. ',"attempt":' .. attempt)
  free = free - 1
  out[#out + 1] = {
    fid, token, attempt, h, now - m[2], m[3] - now, m[4] or 0, m[5] or USUAL_TIME, call('HGETALL', P .. 'n:' .. fid), m[8] or '', m[9] and 0 or 1,
    resting(m[10] or ''), m[11] or '',
  }
  if cfg.hosts0 then --@rare
    local ms = paced(h)
    if ms and (out[1] < 0 or ms < out[1]) then out[1] = ms end
  end
  if heard > 1000 then break end -- the marker gives the next ones to another claim
end
if more and free > 0 then wake() end -- work and room left: wake the next sleeping worker
return out
