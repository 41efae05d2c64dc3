#!lua flags=allow-oom
-- Removes a worker that stops in good order from the lists.
-- KEYS   1 prefix, 2 test clock
-- ARGV   1 worker id
-- answer "OK"
call('HDEL', P .. 'workers', ARGV[1])
call('ZREM', P .. 'wseen', ARGV[1])
call('SREM', P .. 'quiet', ARGV[1])
return 'OK'
