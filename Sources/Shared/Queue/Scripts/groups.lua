-- Groups: many requests under one name. Those of every queue live beside `default`.
local KEPT = '86400000' -- ms a group is kept after its end

-- The next event of a group, for everybody who listens to it.
local function group_event(gid, kind, what, body)
  local seq = call('HINCRBY', P .. 'g:' .. gid, 'seq', '1')
  call('PUBLISH', P .. 'groups:' .. gid, '{"group":"' .. gid .. '","kind":"' .. kind .. '","seq":' .. seq .. ',"type":"' .. what
    .. '","at":' .. AT .. ',' .. body .. '}')
end

-- Ends a group: the record of its end, then its terminal event. What was begun is withdrawn by whoever drives it; until then it
-- keeps a lease, so that there is always somebody who does.
local function group_close(gid, kind, st, body)
  call('HSET', P .. 'g:' .. gid, 'st', st, 'at', AT)
  call('DEL', P .. 'gq:' .. gid)
  for _, name in ipairs({ 'g:', 'gr:', 'gb:' }) do call('PEXPIRE', P .. name .. gid, KEPT) end
  group_event(gid, kind, KINDS[st], body)
  if call('EXISTS', P .. 'gb:' .. gid) == 0 then call('ZREM', P .. 'gl', gid) end
end

-- Ends a group for what went wrong with one of its requests.
local function group_fail(gid, kind, share, index, failure)
  call('HSET', P .. 'g:' .. gid, 'bad', index)
  group_close(gid, kind, 'err', share .. ',"failed":{"index":' .. index .. ',"error":' .. failure .. '}')
end

-- Makes a coordinator the one that drives a group; answers its token. The clock in it keeps a token from coming twice, even if Redis
-- forgets its last writes.
local function group_lead(gid, co, ms)
  local key = P .. 'g:' .. gid
  local token = int(math.max(now * 1024, (tonumber(call('HGET', key, 'tok')) or 0) + 1))
  call('HSET', key, 'tok', token, 'co', co)
  call('ZADD', P .. 'gl', int(now + ms), gid)
  return token
end
