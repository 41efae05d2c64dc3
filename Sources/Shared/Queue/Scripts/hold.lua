#!lua flags=allow-oom
-- Leaves a host alone for so long: it has asked for that in another queue, or a mirror makes up for it in this one.
-- KEYS   1 prefix, 2 test clock
-- ARGV   1 host  2 ms
-- answer "OK", or "UNKNOWN": no such queue
if not cfg.made then return 'UNKNOWN' end
suspend(ARGV[1], tonumber(ARGV[2]))
return 'OK'
