#!lua flags=allow-oom
-- Asks a worker to drain for this queue, or to claim again. The next heartbeat repeats the message, in case it is lost.
-- KEYS   1 prefix, 2 test clock
-- ARGV
-- - 1: worker id
-- - 2: "1" drain, "0" claim again
-- answer
-- - "OK"
-- - "UNKNOWN": no such worker here
if not call('ZSCORE', P .. 'wseen', ARGV[1]) then return 'UNKNOWN' end
call(ARGV[2] == '1' and 'SADD' or 'SREM', P .. 'quiet', ARGV[1])
call('SPUBLISH', P .. 'ctl', 'quiet|' .. ARGV[1] .. '|' .. ARGV[2])
return 'OK'
