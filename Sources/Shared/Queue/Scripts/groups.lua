-- Groups: many requests under one name. The groups of all queues are stored beside `default`.
local KEPT = '86400000' -- ms that a group is kept after its end

-- Publishes the next event of a group for all its subscribers.
local function group_event(gid, kind, what, body)
  local seq = call('HINCRBY', P .. 'g:' .. gid, 'seq', '1')
  call(cfg.spublish and 'SPUBLISH' or 'PUBLISH', P .. 'groups:' .. gid, '{"group":"' .. gid .. '","kind":"' .. kind .. '","seq":' .. seq
    .. ',"type":"' .. what .. '","at":' .. AT .. ',' .. body .. '}')
end

-- Ends a group: writes the record of its end, then publishes its terminal event. Its driver cancels the requests that were begun. Until then the group
-- keeps a lease, so that it always has a driver.
local function group_close(gid, kind, st, body)
  call('HSET', P .. 'g:' .. gid, 'state', st, 'at', AT)
  call('DEL', P .. 'gq:' .. gid)
  for _, name in ipairs({ 'g:', 'gr:', 'gb:' }) do call('PEXPIRE', P .. name .. gid, KEPT) end
  group_event(gid, kind, st, body)
  if call('EXISTS', P .. 'gb:' .. gid) == 0 then call('ZREM', P .. 'gl', gid) end
end

-- Ends a group because one of its requests failed.
local function group_fail(gid, kind, share, index, failure)
  call('HSET', P .. 'g:' .. gid, 'failedIndex', index)
  group_close(gid, kind, 'failed', share .. ',"failed":{"index":' .. index .. ',"error":' .. failure .. '}')
end

-- Makes a coordinator the driver of a group; answers its token. The token contains the time, so that no token comes twice, even if Redis loses its last
-- writes.
local function group_lead(gid, co, ms)
  local key = P .. 'g:' .. gid
  local token = int(math.max(now * 1024, (tonumber(call('HGET', key, 'token')) or 0) + 1))
  call('HSET', key, 'token', token, 'coordinator', co)
  call('ZADD', P .. 'gl', int(now + ms), gid)
  return token
end
