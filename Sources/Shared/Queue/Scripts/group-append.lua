-- Adds steps to a chain that runs. Repeatable after a lost answer, until sixteen other calls have added steps. Refused when Redis is full.
-- KEYS   1 prefix of `default`, 2 test clock
-- ARGV
-- - 1: group
-- - 2: id of this call
-- - 3: maximum number of steps of a chain
-- - 4: maximum bytes of requests that wait
-- - 5…: requests, JSON
-- answer
-- - {"OK"}
-- - {"UNKNOWN"}
-- - {"KIND"}: no chain
-- - {"ENDED"}
-- - {"FULL", number of its steps}
-- - {"LONG", bytes of its requests that have not ended}
local gid = ARGV[1]
local key = P .. 'g:' .. gid
local g = call('HMGET', key, 'st', 'kind', 'total', 'last', 'asked')
if not g[1] then return { 'UNKNOWN' } end
if g[2] ~= 'chain' then return { 'KIND' } end
local last = { ARGV[2] } -- the latest first
for id in string.gmatch(g[4] or '', '%S+') do
  if id == ARGV[2] then return { 'OK' } end
  if #last < 16 then last[#last + 1] = id end
end
if g[1] ~= 'run' then return { 'ENDED' } end
local total, asked = tonumber(g[3]), tonumber(g[5]) or 0
if total + #ARGV - 4 > tonumber(ARGV[3]) then return { 'FULL', total } end
local wanted = asked
for i = 5, #ARGV do wanted = wanted + #ARGV[i] end
if wanted > tonumber(ARGV[4]) then return { 'LONG', asked } end
call('HSET', key, 'last', table.concat(last, ' '), 'total', total + #ARGV - 4, 'asked', wanted)
for i = 5, #ARGV do call('HSET', P .. 'gq:' .. gid, total + i - 5, ARGV[i]) end
return { 'OK' }
