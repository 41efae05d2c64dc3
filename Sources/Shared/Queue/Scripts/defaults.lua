#!lua flags=allow-oom
-- Says what counts where nobody has configured the queue: coordinators' settings and rules. The last one to say so counts.
-- KEYS   1 prefix, 2 test clock
-- ARGV   1 how many fetches may wait, then pattern of hosts, "<number of the rule>:<limit>", …
-- answer "OK"
local said = call('HGETALL', P .. 'hlim0')
local had, same = {}, #said == #ARGV - 1
for i = 1, #said, 2 do had[said[i]] = said[i + 1] end
for i = 2, #ARGV, 2 do same = same and had[ARGV[i]] == ARGV[i + 1] end
call('HSET', P .. 'cfg', 'maxq0', ARGV[1])
if same then return 'OK' end -- as at each connect of a coordinator: many hosts take long to be ranked anew
call('DEL', P .. 'hlim0')
for i = 2, #ARGV, 2 do call('HSET', P .. 'hlim0', ARGV[i], ARGV[i + 1]) end
if ARGV[2] then call('HSET', P .. 'cfg', 'hosts0', 1) else call('HDEL', P .. 'cfg', 'hosts0') end
refresh()
for _, h in ipairs(call('ZRANGE', P .. 'ready', 0, -1)) do sync(h) end
wake()
return 'OK'
