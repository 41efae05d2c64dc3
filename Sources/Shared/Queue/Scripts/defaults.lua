#!lua flags=allow-oom
-- Sets the defaults for a queue without own settings: coordinators' settings and rules. The last call counts.
-- KEYS   1 prefix, 2 test clock
-- ARGV
-- - 1: maximum number of waiting fetches
-- - 2: public channels, plain|sharded
-- - 3…: pattern of hosts, "<number of the rule>:<limit>", …
-- answer
-- - "OK"
local said = call('HGETALL', P .. 'hlim0')
local had, same = {}, #said == #ARGV - 2
for i = 1, #said, 2 do had[said[i]] = said[i + 1] end
for i = 3, #ARGV, 2 do same = same and had[ARGV[i]] == ARGV[i + 1] end
call('HSET', P .. 'cfg', 'defaultMaxQueued', ARGV[1], 'publicChannels', ARGV[2])
if same then return 'OK' end -- as at each connect of a coordinator: ranking many hosts again takes long
call('DEL', P .. 'hlim0')
for i = 3, #ARGV, 2 do call('HSET', P .. 'hlim0', ARGV[i], ARGV[i + 1]) end
if ARGV[3] then call('HSET', P .. 'cfg', 'hasHostRules', 1) else call('HDEL', P .. 'cfg', 'hasHostRules') end
refresh()
for _, h in ipairs(call('ZRANGE', P .. 'ready', 0, -1)) do sync(h) end
wake()
return 'OK'
