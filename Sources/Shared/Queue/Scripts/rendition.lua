#!lua flags=allow-oom
-- One rendition of a running fetch is made or has failed, before the others; fenced, repeatable.
-- KEYS   1 prefix, 2 test clock
-- ARGV   1 fid  2 token  3 metrics JSON  4 digest  5 ok|err  6 RenditionInfo or error JSON  7 SourceInfo  8 description or ""
--        9 ms to keep it in the index
-- answer "OK", "STALE" or "CANCEL"   {"KEEP", ms} nothing changed: store it for so long, then say it again
local fid, key = ARGV[1], P .. 'f:' .. ARGV[1]
local m = call('HMGET', key, 'st', 'tok', 'cx', 'att', 'w', 'ts', 'ttl')
if m[1] ~= 'r' or m[2] ~= ARGV[2] then return 'STALE' end
if m[3] then return 'CANCEL' end
local wished = tonumber(m[7]) or 0
if brief(4, wished) then return { 'KEEP', wished } end
local gone = {}
settle(fid, 4, call('HGETALL', P .. 'fr:' .. fid), { m[4], m[5], m[6] }, ARGV[3], gone)
dismiss(fid, gone)
return 'OK'
