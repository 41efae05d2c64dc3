#!lua flags=allow-oom
-- The state of receipts, for whoever may have missed a message.
-- KEYS   1 prefix, 2 test clock
-- ARGV   1 coordinator that takes the live ones over, or ""  2… receipts
-- answer per receipt nil (unknown), {ok|err|can, seq, coordinator, fid, meta, at, body} if it has ended, else
--        {queued|delayed|running, seq, coordinator, fid, meta, position or -1, runs charged, worker JSON string, progress body}
local out = {}
for i = 2, #ARGV do
  local rid = ARGV[i]
  local r = call('HMGET', P .. 'r:' .. rid, 'st', 'seq', 'co', 'f', 'meta', 'at', 'end', 'fp')
  if not r[8] then out[i - 1] = false
  elseif r[1] then out[i - 1] = { r[1], tonumber(r[2]), r[3], r[4], r[5] or '', r[6], r[7] }
  else
    if ARGV[1] ~= '' and ARGV[1] ~= r[3] then
      adopt(rid, r[4], ARGV[1])
      r[3] = ARGV[1]
    end
    local st, place_ = standing(r[4])
    local f = call('HMGET', P .. 'f:' .. r[4], 'att', 'w', 'prog')
    out[i - 1] = { st, tonumber(r[2]), r[3], r[4], r[5] or '', place_, tonumber(f[1] or 0), f[2] or '', f[3] or '' }
  end
end
return out
