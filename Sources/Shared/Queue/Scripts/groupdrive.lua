#!lua flags=allow-oom
-- Renews the leases of the groups a coordinator drives, and hands it groups whose coordinator has not done so. Every 2 s.
-- KEYS   1 prefix of `default`, 2 test clock
-- ARGV   1 coordinator  2 lease, ms; 0 gives them up  3 how many to take over at most  4 "1": only those that were given up
--        5… group, token of those it drives
-- answer {{groups it drives no more}, {groups that have ended and want what they began withdrawn}, {group, token, …} taken over}
local lost, over, taken = {}, {}, {}
for i = 5, #ARGV, 2 do
  local gid = ARGV[i]
  local g = call('HMGET', P .. 'g:' .. gid, 'tok', 'st')
  if g[1] ~= ARGV[i + 1] then lost[#lost + 1] = gid
  else
    call('ZADD', P .. 'gl', 'XX', ARGV[2] == '0' and '0' or int(now + ARGV[2]), gid)
    if g[2] ~= 'run' then over[#over + 1] = gid end
  end
end
for _, gid in ipairs(call('ZRANGE', P .. 'gl', '-inf', ARGV[4] == '1' and '0' or int(now), 'BYSCORE', 'LIMIT', 0, ARGV[3])) do
  if call('EXISTS', P .. 'g:' .. gid) == 0 then -- its record is gone: only by a hand from outside
    call('ZREM', P .. 'gl', gid)
    call('DEL', P .. 'gq:' .. gid, P .. 'gb:' .. gid, P .. 'gr:' .. gid)
  else
    taken[#taken + 1] = gid
    taken[#taken + 1] = group_lead(gid, ARGV[1], ARGV[2])
  end
end
return { lost, over, taken }
