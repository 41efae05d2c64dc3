#!lua flags=allow-oom
-- Cancels a receipt. If it was the last of its fetch, the fetch is withdrawn: it leaves the queue, or its worker has to stop.
-- KEYS   1 prefix, 2 test clock
-- options
-- - receipt
-- - reason: JSON string, for a `cancelled` event
-- - failure: JSON of the error of a `failed` event, in place of the reason
-- - owner: coordinator that the receipt must belong to, one of whose clients gives it up. If a client waits for it at another live coordinator, the
--   receipt goes on there. Absent: it ends for all.
-- - group: the group that the receipt must have been made for. Its coordinator may also have left it or be silent.
-- - condition: `given`, only while no client has taken it up since another coordinator handed it over. `waiting`, only while it waits. `unread`, its
--   client has canceled it without a result: if it has succeeded, everything that was made only for it is removed.
-- - lease: ms: a coordinator that is silent for longer does not count
-- answer
-- - "TAKEN <record of its fetch>": with `unread`; the caller has to delete the bytes
-- - "RUNNING": with `waiting`
-- - "DROPPED"
-- - "FINISHED": it had ended, or its deadline had passed
-- - "UNKNOWN"
-- - "OTHER": it belongs to another coordinator, perhaps only since this call
local options = read_options()
local rid, owner, condition = options.receipt, options.owner, options.condition
local r = call('HMGET', P .. 'r:' .. rid, 'fetch', 'state', 'fingerprint', 'coordinator', 'meta', 'left', 'followers', 'givenUp')
if not r[3] then return 'UNKNOWN' end
if r[2] then
  if condition == 'unread' and r[2] == 'succeeded' then --@rare
    local taken = retract(r[1], rid)
    if taken then return 'TAKEN ' .. taken end
  end
  return 'FINISHED'
end
if condition == 'waiting' and call('HGET', P .. 'f:' .. r[1], 'state') == 'running' then return 'RUNNING' end
if condition == 'given' and not r[8] then return 'OTHER' end
if options.group then
  local mark = ',"group":"' .. options.group .. '"' -- the last of its members
  if string.sub(r[5] or '', -#mark) ~= mark or r[4] ~= owner and not r[6] and not silent(r[4], options.lease) then return 'OTHER' end
elseif owner and owner ~= r[4] then return 'OTHER' end
for name in string.gmatch(owner and r[7] or '', '%S+') do
  if name ~= owner and not silent(name, options.lease) then
    adopt(rid, r[1], name)
    -- The other coordinator may die now, or before it reads the message. `gv` makes `abandon` cancel the receipt then, even if it is detached.
    call('HSET', P .. 'r:' .. rid, 'givenUp', options.reason)
    channel(name, r[1], 'given', rid, '')
    return 'OTHER'
  end
end
local f = call('HMGET', P .. 'f:' .. r[1], 'state', 'phase', 'attempts', 'causes')
local ended = true
if options.failure then
  part(rid, r[1], 'failed', '"error":' .. corrected(options.failure, f[1], f[2], f[3], f[4]))
else
  ended = part(rid, r[1], 'cancelled', '"reason":' .. options.reason .. ',"phase":"' .. phase(f[1], f[2]) .. '"')
end
wake()
return ended and 'DROPPED' or 'FINISHED'
