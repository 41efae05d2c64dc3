#!lua flags=allow-oom
-- Cancels a receipt. If it was the last of its fetch, the fetch is withdrawn: it leaves the queue, or its worker is told to stop.
-- KEYS   1 prefix, 2 test clock
-- ARGV
-- - 1: receipt
-- - 2: reason as a JSON string, for a `cancelled` event
-- - 3: error JSON for a `failed` event instead, or ""
-- - 4: coordinator that the receipt must belong to, one of whose clients gives it up. If a client waits for it at another live coordinator, the receipt
--   goes on there. "": it ends for all.
-- - 5: group that the receipt must have been made for, or "". With a group, its coordinator may also have left it or be silent.
-- - 6: "1": only while no client has taken it up since another coordinator handed it over; or ""
-- - 7: "w": only while it waits. "r": its client has cancelled it and received nothing. If it has succeeded, everything that was made for it alone is
--   removed. Or "".
-- - 8: lease, ms: a coordinator that is silent for longer does not count
-- answer
-- - "TAKEN <record of its fetch>": with "r"; the caller has to delete the bytes
-- - "RUNNING": with "w"
-- - "DROPPED"
-- - "FINISHED": it had ended, or its deadline had passed
-- - "UNKNOWN"
-- - "OTHER": it belongs to another coordinator, perhaps only since this call
local r = call('HMGET', P .. 'r:' .. ARGV[1], 'f', 'st', 'fp', 'co', 'meta', 'left', 'fo', 'gv')
if not r[3] then return 'UNKNOWN' end
if r[2] then
  if ARGV[7] == 'r' and r[2] == 'ok' then --@rare
    local taken = retract(r[1], ARGV[1])
    if taken then return 'TAKEN ' .. taken end
  end
  return 'FINISHED'
end
if ARGV[7] == 'w' and call('HGET', P .. 'f:' .. r[1], 'st') == 'r' then return 'RUNNING' end
if ARGV[6] == '1' and not r[8] then return 'OTHER' end
if ARGV[5] ~= '' then
  local mark = ',"group":"' .. ARGV[5] .. '"' -- the last of its members
  if string.sub(r[5] or '', -#mark) ~= mark or r[4] ~= ARGV[4] and not r[6] and not silent(r[4], ARGV[8]) then return 'OTHER' end
elseif ARGV[4] ~= '' and ARGV[4] ~= r[4] then return 'OTHER' end
for name in string.gmatch(ARGV[4] ~= '' and r[7] or '', '%S+') do
  if name ~= ARGV[4] and not silent(name, ARGV[8]) then
    adopt(ARGV[1], r[1], name)
    -- The other coordinator may die now, or before it reads the message. `gv` makes `abandon` cancel the receipt then, even if it is detached.
    call('HSET', P .. 'r:' .. ARGV[1], 'gv', ARGV[2])
    channel(name, r[1], 'given', ARGV[1], '')
    return 'OTHER'
  end
end
local f = call('HMGET', P .. 'f:' .. r[1], 'st', 'ph', 'att', 'cs')
if ARGV[3] ~= '' then
  part(ARGV[1], r[1], 'err', '"error":' .. told(ARGV[3], f[1], f[2], f[3], f[4]))
else
  local ended = part(ARGV[1], r[1], 'can', '"reason":' .. ARGV[2] .. ',"phase":"' .. phase(f[1], f[2]) .. '"')
  if not ended then
    wake()
    return 'FINISHED'
  end
end
wake()
return 'DROPPED'
