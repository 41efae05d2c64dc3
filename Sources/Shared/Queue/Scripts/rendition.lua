#!lua flags=allow-oom
-- Reports that one rendition of a running fetch is made or has failed, before the others. Fenced, repeatable.
-- KEYS   1 prefix, 2 test clock
-- options
-- - fetch
-- - token
-- - facts: members that name the place the source came from, line break, metrics JSON
-- items
-- - six for the rendition, as in finish
-- answer
-- - "OK", "STALE" or "CANCEL"
-- - {"KEEP", time}: nothing changed. Store it for this time, then report it again.
-- - {"PART"}, {"PURGED"} as in finish
-- - "LATE" as in finish
local options, first = read_options()
local fid = options.fetch
local key = P .. 'f:' .. fid
local m = call('HMGET', key, 'state', 'token', 'withdrawn', 'attempts', 'worker', 'startedAt', 'resultTime', 'source', 'unlisted', 'unlists',
  'causes', 'firstDeadline', 'deadline', 'queuedAt', 'tags', 'purged', 'settled')
if m[1] ~= 'running' or m[2] ~= options.token then return 'STALE' end
if m[3] then return 'CANCEL' end
if now >= (tonumber(m[12] or m[13]) or math.huge) then return 'LATE' end
local time = m[7] or USUAL_TIME
local facts
if m[16] == options.token then --@rare
  if outlasts(first) then return { 'PURGED' } end
  facts = mark_purged(options.facts)
elseif is_short_lived(first, lasting(time)) then return { 'KEEP', time } end
local waiting_, gone = settle_all(fid, first, { tried(m[4], m[11]), m[5], m[6], m[8], m[9], m[10], m[14], m[15] }, facts or options.facts, options.token, m[17])
if not waiting_ then return { 'PART' } end
dismiss(fid, gone)
if ARGV[first + 1] == 'made' then call('HSET', key, 'served', 1) end
return 'OK'
