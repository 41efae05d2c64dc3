-- Reserves a receipt's id that its client has chosen for one queue. A client that asks for a receipt names no queue, so only one queue may know the id.
-- Runs beside `default` before a submit to any other queue. `submit` of `default` checks the id itself.
-- KEYS   1 prefix, 2 test clock
-- options
-- - receipt
-- - queue: the queue that reserves the id
-- - token: of this attempt
-- - time: ms to keep the reservation. 0: the submit failed, so the id is freed, unless another attempt, earlier or later, still holds the reservation.
-- answer
-- - "OK"
-- - "OTHER": another queue has the id
local MOST = 8 -- tokens; if more attempts ask for one id at once, the id stays with its queue
local options = read_options()
local owner, mine, time = options.queue, options.token, options.time
local key = P .. 'id:' .. options.receipt
local queue, tokens = string.match(call('GET', key) or '', '^(%S+) (.*)$')
local rest, n = '', 0
for token in string.gmatch(tokens or '', '%S+') do
  if token ~= mine then rest, n = rest .. ' ' .. token, n + 1 end
end
if time == '0' then
  -- Without tokens the reservation is permanent.
  if queue ~= owner or tokens == '' then return 'OK' end
  if n == 0 then call('DEL', key) else call('SET', key, queue .. rest, 'KEEPTTL') end
  return 'OK'
end
if queue and queue ~= owner or call('EXISTS', P .. 'r:' .. options.receipt) == 1 then return 'OTHER' end
local kept = math.max(tonumber(time), queue and call('PTTL', key) or 0)
local isForGood = tokens == '' or n >= MOST
call('SET', key, owner .. (isForGood and ' ' or rest .. ' ' .. mine), 'PX', int(kept))
return 'OK'
