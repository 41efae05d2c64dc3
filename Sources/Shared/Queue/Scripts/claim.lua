#!lua flags=allow-oom
-- Hands a worker the best waiting fetches there is room for, each with a lease and a fence token.
-- KEYS   1 prefix, 2 test clock
-- ARGV   1 worker as a JSON string  2 how many at most  3 lease, ms
-- answer {ms until the next delayed fetch is due or held host free, or -1, {fid, token, attempt, host, ms queued, ms to its last deadline,
--        least ms between two reports of progress or 0, ms to keep results, {"source", fetch JSON, digest, "<n> <rendition JSON>", …}, longest times of the download or "", 1|0 its source is kept,
--        {host of it that is held, ms, …}}, …}
local function resting(hosts) -- those of a fetch's mirrors that are held: it waits for another one, and they are not to be asked either
  local found = {}
  for h in string.gmatch(cfg.held and hosts or '', '%S+') do
    local till = call('ZSCORE', P .. 'held', h)
    if till and till - now > 0 then found[#found + 1] = h; found[#found + 1] = till - now end
  end
  return found
end

local due = call('ZRANGE', P .. 'delay', '0', '0', 'WITHSCORES')
if due[2] and due[2] - now <= 0 then -- rare
  promote(64)
  due = call('ZRANGE', P .. 'delay', 0, 0, 'WITHSCORES')
end
if cfg.held then -- rare
  resume(64)
  local first = call('ZRANGE', P .. 'held', 0, 0, 'WITHSCORES')
  if first[2] and (not due[2] or first[2] - due[2] < 0) then due = first end
end
local out = { due[2] and math.max(0, due[2] - now) or -1 }
local free, more = room(), true
for _ = 1, math.min(tonumber(ARGV[2]), free) do
  local h, rank = unpack(call('ZRANGE', P .. 'ready', '0', '0', 'WITHSCORES'))
  if not h or rank == 'inf' then
    more = false
    break
  end
  local _, fid, after = best(P .. 'hq:' .. h, P .. 'ho:' .. h)
  if cfg.who == '*' then -- rare
    local other, host = fairest(fid)
    if other then fid, h, after = other, host, nil end
  end
  local key = P .. 'f:' .. fid
  local m = call('HMGET', key, 'o', 't0', 'dl', 'pr', 'ttl', 'att', 'fence', 'to', 'ns', 'hs')
  if not m[2] then -- its record is gone: only by a hand from outside
    call('ZREM', P .. 'hq:' .. h, fid)
    call('ZREM', P .. 'aq', fid)
    unplace(fid, h, 'o')
    break
  end
  -- The clock in it keeps a token from coming twice, even if Redis forgets its last writes.
  local attempt, token = (tonumber(m[6]) or 0) + 1, int(math.max(now * 1024, (tonumber(m[7]) or 0) + 1))
  call('HSET', key, 'st', 'r', 'tok', token, 'fence', token, 'w', ARGV[1], 'ts', now, 'att', attempt)
  call('ZADD', P .. 'run', now + ARGV[3], fid)
  call('SADD', P .. 'hr:' .. h, fid)
  if cfg.who == '*' then -- rare
    call('SADD', P .. 'cr:' .. whose(fid), fid)
  end
  unplace(fid, h, m[1], after)
  emit(fid, 'started', '"worker":' .. ARGV[1] .. ',"attempt":' .. attempt)
  free = free - 1
  out[#out + 1] = {
    fid, token, attempt, h, now - m[2], m[3] - now, m[4] or 0, m[5] or USUAL_TTL, call('HGETALL', P .. 'n:' .. fid), m[8] or '', m[9] and 0 or 1,
    resting(m[10] or ''),
  }
  if cfg.hosts0 then -- rare
    local ms = paced(h)
    if ms and (out[1] < 0 or ms < out[1]) then out[1] = ms end
  end
end
if more and free > 0 then wake() end -- work and room left: pass the baton to the next sleeper
return out
