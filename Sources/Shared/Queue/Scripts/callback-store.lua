-- Stores the callback of a receipt that was answered from a coordinator's memory, with the record of its end. Repeating the call, or submitting the
-- receipt after a lost answer, adds no second callback, even after the callback was sent. Refused when Redis is full.
-- KEYS   1 prefix, 2 test clock
-- ARGV
-- - 1: receipt
-- - 2: receiver, "<host and port> <{"url", "secret"} JSON>"
-- - 3: terminal event JSON
-- - 4: coordinator
-- - 5: fingerprint
-- - 6: meta fragment ,"tag":… or ""
-- - 7: terms of its end, or ""
-- - 8: at of its end
-- - 9: body of its end
-- - 10: ms to keep the record
-- answer
-- - "OK"
-- - "UNKNOWN": no such queue. No coordinator would look for its callbacks.
if not cfg.made then return 'UNKNOWN' end
local rid, key = ARGV[1], P .. 'r:' .. ARGV[1]
if call('EXISTS', key) == 1 then return 'OK' end
call('HSET', key, 'f', '', 'co', ARGV[4], 'fp', ARGV[5], 'seq', 1, 'meta', ARGV[6], 'how', ARGV[7], 'st', 'ok', 'at', ARGV[8], 'end', ARGV[9])
call('PEXPIRE', key, ARGV[10])
call('HSET', P .. 'cb:' .. rid, 'to', ARGV[2], 'ev', ARGV[3])
appoint(rid, ARGV[2], int(now))
return 'OK'
