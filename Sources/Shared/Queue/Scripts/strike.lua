#!lua flags=allow-oom
-- Takes the name of a queue that was unmade off the list, unless somebody has listed it since.
-- KEYS   1 prefix of `default`, 2 test clock
-- ARGV   1 queue  2 the mark it was listed with
-- answer "OK"
if call('HGET', P .. 'queues', ARGV[1]) == ARGV[2] then call('HDEL', P .. 'queues', ARGV[1]) end
return 'OK'
