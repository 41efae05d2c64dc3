-- Which queue a receipt's id belongs to that its client has chosen: whoever asks for a receipt names no queue, so one alone may know it.
-- Run beside `default` before a submit to any other queue; `submit` of `default` looks by itself.
-- KEYS   1 prefix, 2 test clock
-- ARGV   1 receipt  2 queue that is to have it  3 token of whoever asks  4 ms to keep that; 0: the submit came to nothing, so the id is let
--        go, unless somebody else has asked for the same, before or since, and not let go
-- answer "OK", or "OTHER": another queue has it
local MOST = 8 -- tokens; where more ask for one id at once it stays where it is
local key = P .. 'id:' .. ARGV[1]
local queue, tokens = string.match(call('GET', key) or '', '^(%S+) (.*)$')
local rest, n = '', 0
for token in string.gmatch(tokens or '', '%S+') do
  if token ~= ARGV[3] then rest, n = rest .. ' ' .. token, n + 1 end
end
if ARGV[4] == '0' then
  -- Without tokens it stays for good.
  if queue ~= ARGV[2] or tokens == '' then return 'OK' end
  if n == 0 then call('DEL', key) else call('SET', key, queue .. rest, 'KEEPTTL') end
  return 'OK'
end
if queue and queue ~= ARGV[2] or call('EXISTS', P .. 'r:' .. ARGV[1]) == 1 then return 'OTHER' end
local kept = math.max(tonumber(ARGV[4]), queue and call('PTTL', key) or 0)
local isForGood = tokens == '' or n >= MOST
call('SET', key, ARGV[2] .. (isForGood and ' ' or rest .. ' ' .. ARGV[3]), 'PX', int(kept))
return 'OK'
