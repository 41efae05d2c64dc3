#!lua flags=allow-oom
-- Tells a worker to take nothing new from this queue, or to take work again. The next beat says the same, in case the message is lost.
-- KEYS   1 prefix, 2 test clock
-- ARGV   1 worker id  2 "1" quiet, "0" not
-- answer "OK", or "UNKNOWN": no such worker here
if not call('ZSCORE', P .. 'wseen', ARGV[1]) then return 'UNKNOWN' end
call(ARGV[2] == '1' and 'SADD' or 'SREM', P .. 'quiet', ARGV[1])
call('PUBLISH', P .. 'ctl', 'quiet|' .. ARGV[1] .. '|' .. ARGV[2])
return 'OK'
