-- Starts a group. Refused when Redis is full.
-- KEYS   1 prefix of `default`, 2 test clock
-- ARGV
-- - 1: group
-- - 2: coordinator that drives it
-- - 3: lease, ms
-- - 4: prefetch|batch|chain
-- - 5: "1" if one failure ends it
-- - 6: how many run at once
-- - 7…: requests, JSON
-- answer
-- - its token, the same one if it was started before
-- - "" if it has ended
local gid, co, kind, total = ARGV[1], ARGV[2], ARGV[4], #ARGV - 6
local key = P .. 'g:' .. gid
local old = call('HMGET', key, 'st', 'tok')
if old[1] then return old[1] == 'run' and old[2] or '' end
local asked = 0
for i = 7, #ARGV do asked = asked + #ARGV[i] end
call('HSET', key, 'st', 'run', 'kind', kind, 'strict', ARGV[5], 'conc', ARGV[6], 'total', total, 'asked', asked, 'seq', '0', 'co', co)
if total == 0 then
  group_close(gid, kind, 'ok', '"finished":0,"total":0')
  return ''
end
for i = 1, total do call('HSET', P .. 'gq:' .. gid, i - 1, ARGV[i + 6]) end
return group_lead(gid, co, ARGV[3])
