-- Receipts: how they end, and how they leave a fetch that goes on.
local KINDS = { ok = 'succeeded', err = 'failed', can = 'cancelled' }

-- Whether a coordinator has not greeted for as long as a lease, ms.
local function silent(co, lease)
  local heard = call('ZSCORE', P .. 'co', co)
  return not heard or now - heard >= tonumber(lease)
end

-- A host's callbacks have changed: notes when the first of them is due.
local function summon(host)
  local first = call('ZRANGE', P .. 'cbh:' .. host, 0, 0, 'WITHSCORES')
  if first[1] then call('ZADD', P .. 'cbs', first[2], host) else call('ZREM', P .. 'cbs', host) end
end

-- The host of whoever is to be called, as Swift has written it: "<host and port> <JSON>".
local function callee(target) return string.match(target, '^%S*') end

-- Says when the callback of a receipt is due; with "" that there is none any more.
local function appoint(rid, target, at)
  local host = callee(target)
  if at == '' then call('ZREM', P .. 'cbh:' .. host, rid) else call('ZADD', P .. 'cbh:' .. host, at, rid) end
  summon(host)
end

-- Ends a receipt: the record of its end, then its terminal event. `m` is HMGET seq, meta, keep, digs, want, cb, sl, how of its record, if
-- at hand. The caller takes it out of fr:.
local function close(rid, co, fid, st, body, m)
  local key = P .. 'r:' .. rid
  m = m or call('HMGET', key, 'seq', 'meta', 'keep', 'digs', 'want', 'cb', 'sl', 'how')
  local seq, meta = (tonumber(m[1]) or 0) + 1, m[2] or ''
  if m[1] then -- else its record is gone: only by a hand from outside
    if m[5] then -- what it had already is in `end` now
      local had = { 'want', 'desc' }
      for digest in string.gmatch(m[4], '%S+') do had[#had + 1] = 'i:' .. digest end
      call('HDEL', key, unpack(had))
    end
    call('HSET', key, 'st', st, 'seq', seq, 'at', AT, 'end', body)
    local letters = string.match(m[8] or '', '^(%a*s%a*@?[%w._-]*){') -- linear: letters and an owner of the coordinator's own
    if letters then call('HSET', key, 'how', letters) end -- a stand-in with secrets: whoever waits has it in hand
    call('PEXPIRE', key, m[3] or '86400000')
  end
  call('ZREM', P .. 'dl', rid)
  if m[7] then call('DEL', P .. 'sl:' .. m[7]) end
  local event = public(rid, seq, KINDS[st], meta, body)
  call('PUBLISH', P .. 'events', event)
  if m[6] then -- rare: somebody is to be called about it
    call('HDEL', key, 'cb')
    call('HSET', P .. 'cb:' .. rid, 'to', m[6], 'ev', event)
    appoint(rid, m[6], int(now))
  end
  channel(co, fid, KINDS[st], body, rid .. ':' .. seq)
end

-- Somebody wants progress of a fetch, `pace` ms apart at the least: its worker is told, if nobody has asked for as much before.
local function attend(fid, pace)
  local key = P .. 'f:' .. fid
  local m = call('HMGET', key, 'pr', 'st', 'tok')
  if not m[2] or m[1] and tonumber(m[1]) <= tonumber(pace) then return end
  call('HSET', key, 'pr', pace)
  if m[2] == 'r' then call('PUBLISH', P .. 'ctl', 'watch|' .. fid .. '|' .. m[3] .. '|' .. pace) end
end

-- Changes the priority in force of a fetch and, if it waits, its place.
local function set_priority(fid, p)
  local m = call('HMGET', P .. 'f:' .. fid, 'st', 'p', 'h', 'o')
  if tonumber(m[2]) == p then return end
  call('HSET', P .. 'f:' .. fid, 'p', p)
  if m[1] == 'q' then -- rare
    unplace(fid, m[3], m[4])
    place(fid, m[3], p, m[4])
  end
end

-- One receipt more (+1) or less (-1) at a priority; the fetch moves to the highest among its receipts.
local function count(fid, p, by)
  local key = P .. 'f:' .. fid
  local left = call('HINCRBY', key, 'p:' .. p, by)
  if by > 0 then
    if p > tonumber(call('HGET', key, 'p')) then set_priority(fid, p) end
  elseif left <= 0 then
    call('HDEL', key, 'p:' .. p)
    local f, top = call('HGETALL', key), nil
    for i = 1, #f, 2 do
      local q = tonumber(string.match(f[i], '^p:(.*)$'))
      if q and (not top or q > top) then top = q end
    end
    set_priority(fid, top or -256) -- of a run that has served all: whoever joins next decides
  end
end

-- One receipt less wants these digests (space between); what nobody wants any more is no longer owed.
local function unwant(fid, digests)
  local key = P .. 'n:' .. fid
  for digest in string.gmatch(digests, '%S+') do
    local owed = call('HGET', key, digest)
    if owed then
      local n, json = string.match(owed, '^(%d+) (.*)$')
      if n == '1' then call('HDEL', key, digest) else call('HSET', key, digest, (n - 1) .. ' ' .. json) end
    end
  end
end

-- How many runs there were and why those failed that did, as the value of "attempts" and what follows it.
local function tried(attempts, causes) return attempts .. (causes and ',"causes":[' .. causes .. ']' or '') end

-- An error written by Swift for 0 attempts, with those of `tried`.
local function charged(failure, attempts) return (string.gsub(failure, '"attempts":0', '"attempts":' .. attempts, 1)) end

-- The body of a `succeeded` event. `info` maps digest -> RenditionInfo; a rendition named "" stays out of the list (a probe).
local function result(rid, origin, digs, names, info, source, description, attempts, worker, metrics)
  local list, digest = {}, string.gmatch(digs, '%S+')
  for name in string.gmatch(names, '[^\n]+') do
    local i = info[digest()]
    if name ~= '""' then list[#list + 1] = '{"name":' .. name .. (#i > 2 and ',' or '') .. string.sub(i, 2) end
  end
  return '"result":{"receipt":"' .. rid .. '",' .. origin .. ',"state":"succeeded","source":'
    .. source .. ',"renditions":[' .. table.concat(list, ',') .. '],"description":'
    .. (description ~= '' and description or '{}') .. ',"attempts":' .. attempts .. ',"worker":' .. worker
    .. ',"metrics":' .. metrics .. '}'
end

-- Notes that somebody waits for a live receipt at a coordinator that its events do not go to, or that nobody does any more.
local function follow(rid, co, waits)
  local key = P .. 'r:' .. rid
  local names, waited = {}, false
  for name in string.gmatch(call('HGET', key, 'fo') or '', '%S+') do
    if name == co then waited = true else names[#names + 1] = name end
  end
  if waited == waits then return end
  if waits then names[#names + 1] = co end
  if names[1] then call('HSET', key, 'fo', table.concat(names, ' ')) else call('HDEL', key, 'fo') end
end

-- Lets a coordinator receive a live receipt's events: somebody waits for it there.
local function adopt(rid, fid, co)
  local fr = P .. 'fr:' .. fid
  local who = call('HGET', fr, rid)
  if not who then return end
  call('HSET', P .. 'r:' .. rid, 'co', co)
  call('HDEL', P .. 'r:' .. rid, 'left', 'gv')
  follow(rid, co, false)
  call('HSET', fr, rid, string.match(who, '^..%-?%d+ ') .. co)
end
