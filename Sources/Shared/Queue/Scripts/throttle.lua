#!lua flags=allow-oom
-- Throttles a host for a time: the host has asked for a pause in another queue, or a mirror replaces it in this one.
-- KEYS   1 prefix, 2 test clock
-- ARGV
-- - 1: host
-- - 2: ms
-- answer
-- - "OK"
-- - "UNKNOWN": no such queue
if not cfg.made then return 'UNKNOWN' end
suspend(ARGV[1], tonumber(ARGV[2]))
return 'OK'
