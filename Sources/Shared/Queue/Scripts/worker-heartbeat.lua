#!lua flags=allow-oom
-- A worker's heartbeat: renews the leases of all its runs in one call, and repeats the content of messages that may have been lost.
-- KEYS   1 prefix, 2 test clock
-- options
-- - worker
-- - info: JSON of the worker
-- - lease: ms
-- - drains: "1" if the worker drains
-- items
-- - fetch, token and phase of each run. The phase is kept for the errors of receipts that end meanwhile.
-- answer
-- - a list of five, as follows
-- - {fids that are no longer the worker's}
-- - {fids to stop}
-- - {fid with a receipt that wants progress, least ms between two reports, …}
-- - 1|0 drain
-- - {fids that are to yield to another client's}
local options, first = read_options()
local worker = options.worker
local lost, stop, watch, yield = {}, {}, {}, {}
if cfg.made then call('HSET', CFG, 'usedAt', now, unpack(cfg.v and {} or { 'v', SCHEMA })) end
call('HSET', P .. 'workers', worker, options.info)
-- Redis has forgotten the worker while it was out of reach. Only the worker still knows that it drains.
if call('ZADD', P .. 'wseen', now, worker) == 1 and options.drains then call('SADD', P .. 'quiet', worker) end
if not cfg.made then -- no reaper serves a queue that does not exist; once it exists, the next heartbeat makes these keys lasting
  call('PEXPIRE', P .. 'workers', 60000)
  call('PEXPIRE', P .. 'wseen', 60000)
elseif QUEUE ~= 'default' then
  call('PERSIST', P .. 'workers')
  call('PERSIST', P .. 'wseen')
end
for i = first, #ARGV, 3 do
  local fid = ARGV[i]
  local m = call('HMGET', P .. 'f:' .. fid, 'state', 'token', 'withdrawn', 'progressInterval', 'phase', 'yields')
  if m[1] ~= 'running' or m[2] ~= ARGV[i + 1] then lost[#lost + 1] = fid
  else
    call('ZADD', P .. 'run', 'XX', now + options.lease, fid) -- also corrects the lease if the clock went back: otherwise a lease that ends years ahead would keep its permits until then
    if (m[5] or 'download') ~= ARGV[i + 2] then call('HSET', P .. 'f:' .. fid, 'phase', ARGV[i + 2]) end
    if m[3] then stop[#stop + 1] = fid elseif m[4] then watch[#watch + 1] = fid; watch[#watch + 1] = m[4] end
    if m[6] and string.match(m[6], ' (%d+)$') == m[2] then yield[#yield + 1] = fid end
  end
end
return { lost, stop, watch, call('SISMEMBER', P .. 'quiet', worker), yield }
