#!lua flags=allow-oom
-- A coordinator lives: noted, and answered by a numbered ping on its own channel, which shows a lost last message.
-- KEYS   1 prefix, 2 test clock
-- ARGV   1 coordinator
-- answer "OK"
call('HSET', CFG, 'used', now, unpack(cfg.v and {} or { 'v', SCHEMA }))
call('ZADD', P .. 'co', now, ARGV[1])
channel(ARGV[1], '', 'ping', '', '')
return 'OK'
