-- Owes the callback of a receipt that never was in Redis: answered out of a coordinator's memory. Refused when Redis is full.
-- KEYS   1 prefix, 2 test clock
-- ARGV   1 receipt  2 {"url", "secret"} JSON  3 terminal event JSON
-- answer "OK"
call('HSET', P .. 'cb:' .. ARGV[1], 'to', ARGV[2], 'ev', ARGV[3])
appoint(ARGV[1], ARGV[2], int(now))
return 'OK'
