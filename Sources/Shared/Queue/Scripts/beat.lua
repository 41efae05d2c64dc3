#!lua flags=allow-oom
-- A worker lives: extends the leases of all its fetches in one call, and brings what a lost message would have said.
-- KEYS   1 prefix, 2 test clock
-- ARGV   1 worker id  2 worker JSON  3 lease, ms  4 "1" it takes nothing new  5… fid, token, phase: kept for the errors
--        that end its receipts meanwhile
-- answer {{fids it no longer holds}, {fids to stop}, {fid somebody wants progress of, least ms between two reports, …}, 1|0 it is to take nothing new, {fids
--        that are to give way to another client's}}
local lost, stop, watch, yield = {}, {}, {}, {}
if cfg.made then call('HSET', CFG, 'used', now, unpack(cfg.v and {} or { 'v', SCHEMA })) end
call('HSET', P .. 'workers', ARGV[1], ARGV[2])
-- Forgotten while it was out of reach: what it was told is known to itself alone.
if call('ZADD', P .. 'wseen', now, ARGV[1]) == 1 and ARGV[4] == '1' then call('SADD', P .. 'quiet', ARGV[1]) end
if not cfg.made then -- no reaper comes by where there is no queue; when there is one, the next beat after that puts them there to stay
  call('PEXPIRE', P .. 'workers', 60000)
  call('PEXPIRE', P .. 'wseen', 60000)
elseif QUEUE ~= 'default' then
  call('PERSIST', P .. 'workers')
  call('PERSIST', P .. 'wseen')
end
for i = 5, #ARGV, 3 do
  local fid = ARGV[i]
  local m = call('HMGET', P .. 'f:' .. fid, 'st', 'tok', 'cx', 'pr', 'ph', 'gw')
  if m[1] ~= 'r' or m[2] ~= ARGV[i + 1] then lost[#lost + 1] = fid
  else
    call('ZADD', P .. 'run', 'XX', now + ARGV[3], fid) -- also back, where the clock went back: a lease that ends years ahead holds its slots till then
    if (m[5] or 'download') ~= ARGV[i + 2] then call('HSET', P .. 'f:' .. fid, 'ph', ARGV[i + 2]) end
    if m[3] then stop[#stop + 1] = fid elseif m[4] then watch[#watch + 1] = fid; watch[#watch + 1] = m[4] end
    if m[6] and string.match(m[6], ' (%d+)$') == m[2] then yield[#yield + 1] = fid end
  end
end
return { lost, stop, watch, call('SISMEMBER', P .. 'quiet', ARGV[1]), yield }
