#!lua flags=allow-oom
-- Pauses a live receipt, or resumes it. A fetch whose receipts are all paused leaves the queue, or its worker is asked to yield. A paused receipt
-- gets no event but its end: `paused` of its record keeps its progress wish.
--
-- KEYS
-- - 1 prefix
-- - 2 test clock
--
-- ARGV
-- - 1 receipt
-- - 2 "1" pauses it, "0" resumes it
--
-- answer queued|delayed|running|paused, or nil if the receipt is unknown or has ended
local rid, waits = ARGV[1], ARGV[2] == '1'
local key = P .. 'r:' .. rid
local r = call('HMGET', key, 'fetch', 'state', 'paused')
local fr = P .. 'fr:' .. (r[1] or '')
local who = r[1] and not r[2] and call('HGET', fr, rid)
if not who then return false end
local fid, co, p, wish, meta = r[1], parse(who)
if waits and not r[3] then
  tell(rid, who, fid, 'paused', '')
  call('HSET', key, 'paused', wish or 'none')
  call('HSET', fr, rid, entry(co, p, nil, meta))
  recount(fid, 1)
elseif not waits and r[3] then
  who = entry(co, p, r[3] ~= 'none' and r[3] or nil, meta)
  call('HSET', fr, rid, who)
  call('HDEL', key, 'paused')
  recount(fid, -1)
  tell(rid, who, fid, 'resumed', '')
end
wake()
if waits then return 'paused' end
return (standing(fid))
