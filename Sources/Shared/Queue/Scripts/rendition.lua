#!lua flags=allow-oom
-- Reports that one rendition of a running fetch is made or has failed, before the others. Fenced, repeatable.
-- KEYS   1 prefix, 2 test clock
-- ARGV
-- - 1: fid
-- - 2: token
-- - 3: facts: members that name the place the source came from, line break, metrics JSON
-- - 4: digest
-- - 5: ok|err
-- - 6: RenditionInfo or error JSON
-- - 7: SourceInfo
-- - 8: description or ""
-- - 9: ms to keep it in the index. After a failure, 8 and 9 are as in finish.
-- answer
-- - "OK", "STALE" or "CANCEL"
-- - {"KEEP", ms}: nothing changed. Store it for this time, then report it again.
-- - "LATE" as in finish
local fid, key = ARGV[1], P .. 'f:' .. ARGV[1]
local m = call('HMGET', key, 'st', 'tok', 'cx', 'att', 'w', 'ts', 'ttl', 'd', 'nb', 'br', 'cs', 'df', 'dl', 't0')
if m[1] ~= 'r' or m[2] ~= ARGV[2] then return 'STALE' end
if m[3] then return 'CANCEL' end
if now >= tonumber(m[12] or m[13] or 'inf') then return 'LATE' end
local wished = tonumber(m[7] or USUAL_TTL)
if brief(4, wished) then return { 'KEEP', wished } end
local gone = {}
settle(fid, 4, call('HGETALL', P .. 'fr:' .. fid), { tried(m[4], m[11]), m[5], m[6], m[8], m[9], m[10], m[14] }, ARGV[3], gone)
dismiss(fid, gone)
if ARGV[5] == 'ok' then call('HSET', key, 'sv', 1) end
return 'OK'
