-- Receipts: how they end, and how they leave a fetch that goes on.
-- Answers whether a coordinator has sent no heartbeat for a lease, ms.
local function silent(co, lease)
  local heard = call('ZSCORE', P .. 'co', co)
  return not heard or now - heard >= tonumber(lease)
end

-- Updates the time at which the first callback of a host is due, after any change of its callbacks.
local function summon(host)
  local first = call('ZRANGE', P .. 'cbh:' .. host, 0, 0, 'WITHSCORES')
  if first[1] then call('ZADD', P .. 'cbs', first[2], host) else call('ZREM', P .. 'cbs', host) end
end

-- Answers the host of a callback's receiver, as Swift has written it: "<host and port> <JSON>".
local function callee(target) return string.match(target, '^%S*') end

-- Sets the time at which the callback of a receipt is due; "" removes it.
local function appoint(rid, target, at)
  local host = callee(target)
  if at == '' then call('ZREM', P .. 'cbh:' .. host, rid) else call('ZADD', P .. 'cbh:' .. host, at, rid) end
  summon(host)
end

-- Ends a receipt: writes the record of its end, then publishes its terminal event. `m` is HMGET seq, meta, keep, digests, wanted, callback, supersedeKey, terms of its record,
-- if already read. The caller removes the receipt from fr:.
local function close(rid, co, fid, st, body, m)
  local key = P .. 'r:' .. rid
  m = m or call('HMGET', key, 'seq', 'meta', 'keep', 'digests', 'wanted', 'callback', 'supersedeKey', 'terms')
  local seq, meta = (tonumber(m[1]) or 0) + 1, m[2] or ''
  if m[1] then -- else the record is missing: only after a change from outside
    if m[5] then -- `end` now has the renditions that it had
      local had = { 'wanted', 'description' }
      for digest in string.gmatch(m[4], '%S+') do had[#had + 1] = 'info:' .. digest end
      call('HDEL', key, unpack(had))
    end
    call('HSET', key, 'state', st, 'seq', seq, 'at', AT, 'end', body)
    local words = string.match(m[8] or '', '^([^{]*){')
    if words and string.sub(words, -7) == 'secret ' then call('HSET', key, 'terms', words) end -- a fallback with secrets: a coordinator that waits has its own copy
    call('PEXPIRE', key, m[3] or SWIFT.keep)
  end
  call('ZREM', P .. 'dl', rid)
  if m[7] then call('DEL', P .. 'sl:' .. m[7]) end
  local event = public(rid, seq, st, meta, body)
  call(cfg.spublish and 'SPUBLISH' or 'PUBLISH', P .. 'events', event)
  if m[6] then --@rare its end has a callback
    call('HDEL', key, 'callback')
    call('HSET', P .. 'cb:' .. rid, 'receiver', m[6], 'event', event)
    appoint(rid, m[6], int(now))
  end
  channel(co, fid, st, body, rid .. ':' .. seq)
end

-- Records that a receipt wants progress of a fetch, with at least `pace` ms between reports. Informs the worker, unless a receipt has asked for as much
-- before.
local function attend(fid, pace)
  local key = P .. 'f:' .. fid
  local m = call('HMGET', key, 'progressInterval', 'state', 'token')
  if not m[2] or m[1] and tonumber(m[1]) <= tonumber(pace) then return end
  call('HSET', key, 'progressInterval', pace)
  if m[2] == 'running' then call('SPUBLISH', P .. 'ctl', 'watch|' .. fid .. '|' .. m[3] .. '|' .. pace) end
end

-- Changes the priority in force of a fetch and, if it waits, its place.
local function set_priority(fid, p)
  local m = call('HMGET', P .. 'f:' .. fid, 'state', 'priority', 'host', 'order')
  if tonumber(m[2]) == p then return end
  call('HSET', P .. 'f:' .. fid, 'priority', p)
  if m[1] == 'queued' then --@rare
    unplace(fid, m[3], m[4])
    place(fid, m[3], p, m[4])
  end
end

-- Adds (+1) or removes (-1) one receipt at a priority. The fetch gets the highest priority among its receipts.
local function count(fid, p, by)
  local key = P .. 'f:' .. fid
  local left = call('HINCRBY', key, 'priority:' .. p, by)
  if by > 0 then
    if p > tonumber(call('HGET', key, 'priority')) then set_priority(fid, p) end
  elseif left <= 0 then
    call('HDEL', key, 'priority:' .. p)
    if p < tonumber(call('HGET', key, 'priority')) then return end -- another receipt has the highest one
    local f, top = call('HGETALL', key), nil
    for i = 1, #f, 2 do
      local q = tonumber(string.match(f[i], '^priority:(.*)$'))
      if q and (not top or q > top) then top = q end
    end
    set_priority(fid, top or -256) -- the run has served all receipts: the next one to join sets the priority
  end
end

-- Records that one receipt less wants these digests (space between). A digest that no receipt wants is no longer owed, unless a dead letter may need
-- it (`keeps`).
local function unwant(fid, digests, keeps)
  local key = P .. 'n:' .. fid
  for digest in string.gmatch(digests, '%S+') do
    local owed = call('HGET', key, digest)
    if owed then
      local n, json = string.match(owed, '^(%d+) (.*)$')
      if n == '1' and not keeps then call('HDEL', key, digest) else call('HSET', key, digest, (n - 1) .. ' ' .. json) end
    end
  end
end

-- Answers the number of runs and the causes of failed ones, as the value of "attempts" and the text after it.
local function tried(attempts, causes) return attempts .. (causes and ',"causes":[' .. causes .. ']' or '') end

-- Puts the text of `tried` into an error that Swift wrote for 0 attempts.
local function charged(failure, attempts) return (string.gsub(failure, '"attempts":0', '"attempts":' .. attempts, 1)) end

-- Answers the body of a `succeeded` event. `info` maps digest -> RenditionInfo. A rendition named "" stays out of the list (a probe).
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

-- Records whether clients wait for a live receipt at a coordinator that does not get its events.
local function follow(rid, co, waits)
  local key = P .. 'r:' .. rid
  local names, waited = {}, false
  for name in string.gmatch(call('HGET', key, 'followers') or '', '%S+') do
    if name == co then waited = true else names[#names + 1] = name end
  end
  if waited == waits then return end
  if waits then names[#names + 1] = co end
  if names[1] then call('HSET', key, 'followers', table.concat(names, ' ')) else call('HDEL', key, 'followers') end
end

-- Makes a coordinator receive the events of a live receipt, since a client waits for the receipt there.
local function adopt(rid, fid, co)
  local fr = P .. 'fr:' .. fid
  local who = call('HGET', fr, rid)
  if not who then return end
  call('HSET', P .. 'r:' .. rid, 'coordinator', co)
  call('HDEL', P .. 'r:' .. rid, 'left', 'givenUp')
  follow(rid, co, false)
  local _, p, wish, meta = parse(who)
  call('HSET', fr, rid, entry(co, p, wish, meta))
end
