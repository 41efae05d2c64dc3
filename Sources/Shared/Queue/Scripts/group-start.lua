-- Starts a group. Refused when Redis is full.
-- KEYS   1 prefix of `default`, 2 test clock
-- options
-- - group
-- - coordinator: the one that drives it
-- - lease: ms
-- - kind: prefetch|batch|chain
-- - strict: "1" if one failure ends it
-- - concurrency: how many run at once
-- - owner: client that started it; "" for an admin
-- items
-- - requests, JSON
-- answer
-- - its token, the same one if it was started before
-- - "" if it has ended
local options, first = read_options()
local gid, co, kind, total = options.group, options.coordinator, options.kind, #ARGV - first + 1
local key = P .. 'g:' .. gid
local old = call('HMGET', key, 'state', 'token')
if old[1] then return old[1] == 'running' and old[2] or '' end
local asked = 0
for i = first, #ARGV do asked = asked + #ARGV[i] end
call('HSET', key, 'state', 'running', 'kind', kind, 'strict', options.strict or '0',
  'concurrency', options.concurrency, 'total', total, 'requestBytes', asked, 'seq', '0', 'coordinator', co,
  'owner', options.owner)
if total == 0 then
  group_close(gid, kind, 'succeeded', '"finished":0,"total":0')
  return ''
end
for i = 1, total do call('HSET', P .. 'gq:' .. gid, i - 1, ARGV[first + i - 1]) end
return group_lead(gid, co, options.lease)
