#!lua flags=allow-oom
-- Records that no client of a coordinator waits for a receipt any more. If the receipt belongs there, the next coordinator that is asked for it takes
-- it over. A receipt that was given up elsewhere, handed over and not taken up (`givenUp`) stays so. This call was sent before the coordinator heard of
-- that.
-- KEYS   1 prefix, 2 test clock
-- ARGV
-- - 1: receipt
-- - 2: coordinator
-- answer
-- - "OK"
-- - "OTHER": the receipt is unknown, has ended, or belongs to another coordinator. That one no longer hands it over to this one.
local key = P .. 'r:' .. ARGV[1]
local r = call('HMGET', key, 'coordinator', 'state')
if not r[1] or r[2] then return 'OTHER' end
if r[1] ~= ARGV[2] then
  follow(ARGV[1], ARGV[2], false)
  return 'OTHER'
end
call('HSET', key, 'left', 1)
return 'OK'
