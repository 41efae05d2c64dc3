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
-- - {"KEEP", ms}: nothing changed. Store it for this time, then report it again.
-- - "LATE" as in finish
local options, first = read_options()
local fid = options.fetch
local key = P .. 'f:' .. fid
local m = call('HMGET', key, 'st', 'tok', 'cx', 'att', 'w', 'ts', 'ttl', 'd', 'nb', 'br', 'cs', 'df', 'dl', 't0')
if m[1] ~= 'r' or m[2] ~= options.token then return 'STALE' end
if m[3] then return 'CANCEL' end
if now >= tonumber(m[12] or m[13] or 'inf') then return 'LATE' end
local wished = tonumber(m[7] or USUAL_TTL)
if brief(first, wished) then return { 'KEEP', wished } end
local gone = {}
settle(fid, first, call('HGETALL', P .. 'fr:' .. fid), { tried(m[4], m[11]), m[5], m[6], m[8], m[9], m[10], m[14] }, options.facts, gone)
dismiss(fid, gone)
if ARGV[first + 1] == 'ok' then call('HSET', key, 'sv', 1) end
return 'OK'
