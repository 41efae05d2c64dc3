#!lua flags=allow-oom
-- Removes the name of a removed queue from the list, unless the queue was listed again since.
-- KEYS   1 prefix of `default`, 2 test clock
-- ARGV
-- - 1: queue
-- - 2: the mark it was listed with
-- answer "OK"
if call('HGET', P .. 'queues', ARGV[1]) == ARGV[2] then call('HDEL', P .. 'queues', ARGV[1]) end
return 'OK'
