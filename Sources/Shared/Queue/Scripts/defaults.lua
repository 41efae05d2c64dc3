#!lua flags=allow-oom
-- Says what counts where nobody has configured the queue: coordinators' settings and rules. The last one to say so counts.
-- KEYS   1 prefix, 2 test clock
-- ARGV   1 how many fetches may wait, then pattern of hosts, "<number of the rule>:<limit>", …
-- answer "OK"
local had = cfg'hosts0'
call('HSET', P .. 'cfg', 'maxq0', ARGV[1])
call('DEL', P .. 'hlim0')
for i = 2, #ARGV, 2 do call('HSET', P .. 'hlim0', ARGV[i], ARGV[i + 1]) end
if ARGV[2] then call('HSET', P .. 'cfg', 'hosts0', 1) else call('HDEL', P .. 'cfg', 'hosts0') end
settings = nil
if had or ARGV[2] then
  for _, h in ipairs(call('ZRANGE', P .. 'ready', 0, -1)) do sync(h) end
  wake()
end
return 'OK'
