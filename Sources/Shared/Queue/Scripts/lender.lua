#!lua flags=allow-oom
-- Keeps the shares of the shards of a queue for the next lender. Only the newest lender may.
-- KEYS   1 prefix of `default`, 2 test clock
-- options
-- - queue: the queue
-- - epoch: a number of the lender. A greater one fences off all lenders before it.
-- - coordinator: the lender
-- - shares: as `lent` keeps them. Absent: nothing changes.
-- answer
-- - {"STALE", number of another lender that has come since}
-- - else {the kept shares, or ""}
local options = read_options()
local whole, mine = P .. 'sh:' .. options.queue, options.epoch .. ' ' .. options.coordinator
if call('EXISTS', whole) == 0 then return { '' } end
local last = call('HGET', whole, 'lender') or ''
local number = tonumber(string.match(last, '^%d+')) or 0
if last ~= mine and tonumber(options.epoch) <= number then return { 'STALE', number } end
call('HSET', whole, 'lender', mine)
if options.shares then call('HSET', whole, 'lent', options.shares) end
return { call('HGET', whole, 'lent') or '' }
