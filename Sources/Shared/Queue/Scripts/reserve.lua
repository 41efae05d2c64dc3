-- Which queue a receipt's id belongs to that its client has chosen: whoever asks for a receipt names no queue, so one alone may know it.
-- Run beside `default` before a submit to any other queue; `submit` of `default` looks by itself.
-- KEYS   1 prefix, 2 test clock
-- ARGV   1 receipt  2 queue that is to have it  3 token of whoever asks  4 ms to keep that; 0: the submit came to nothing, so the id is let
--        go, unless somebody else has asked for the same, before or since
-- answer "OK", or "OTHER": another queue has it
local key = P .. 'id:' .. ARGV[1]
local queue, token = string.match(call('GET', key) or '', '^(%S+) (.*)$')
if ARGV[4] == '0' then
  if queue == ARGV[2] and token == ARGV[3] then call('DEL', key) end
  return 'OK'
end
if queue and queue ~= ARGV[2] or call('EXISTS', P .. 'r:' .. ARGV[1]) == 1 then return 'OTHER' end
local kept = math.max(tonumber(ARGV[4]), queue and call('PTTL', key) or 0)
call('SET', key, ARGV[2] .. ' ' .. ((not queue or token == ARGV[3]) and ARGV[3] or ''), 'PX', int(kept))
return 'OK'
