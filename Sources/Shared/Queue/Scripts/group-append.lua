-- Adds steps to a chain that runs. Repeatable after a lost answer, until sixteen other calls have added steps. Refused when Redis is full.
-- KEYS   1 prefix of `default`, 2 test clock
-- options
-- - group
-- - call: id of this call
-- - mostSteps: of a chain
-- - mostBytes: of requests that wait
-- items
-- - requests, JSON
-- answer
-- - {"OK"}
-- - {"UNKNOWN"}
-- - {"KIND"}: no chain
-- - {"ENDED"}
-- - {"FULL", number of its steps}
-- - {"LONG", bytes of its requests that have not ended}
local options, first = read_options()
local gid = options.group
local key = P .. 'g:' .. gid
local g = call('HMGET', key, 'state', 'kind', 'total', 'lastCalls', 'requestBytes')
if not g[1] then return { 'UNKNOWN' } end
if g[2] ~= 'chain' then return { 'KIND' } end
local last = { options.call } -- the latest first
for id in string.gmatch(g[4] or '', '%S+') do
  if id == options.call then return { 'OK' } end
  if #last < 16 then last[#last + 1] = id end
end
if g[1] ~= 'running' then return { 'ENDED' } end
local total, asked = tonumber(g[3]), tonumber(g[5]) or 0
if total + #ARGV - first + 1 > tonumber(options.mostSteps) then return { 'FULL', total } end
local wanted = asked
for i = first, #ARGV do wanted = wanted + #ARGV[i] end
if wanted > tonumber(options.mostBytes) then return { 'LONG', asked } end
call('HSET', key, 'lastCalls', table.concat(last, ' '), 'total', total + #ARGV - first + 1, 'requestBytes', wanted)
for i = first, #ARGV do call('HSET', P .. 'gq:' .. gid, total + i - first, ARGV[i]) end
return { 'OK' }
