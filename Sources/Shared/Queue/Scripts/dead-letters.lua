#!lua flags=no-writes
-- Reads dead letters, newest first, or the named ones.
-- KEYS   1 prefix, 2 test clock
-- ARGV
-- - 1: maximum number
-- - 2: time of death of the last one before, ms, or ""
-- - 3: its id, or ""
-- - 4…: ids; then the others do not count
-- answer
-- - {1 if there are more, else 0, end of the page, letter, …}. The end of the page is the time of death of the last letter, ms, and its id, or ""
--   twice.
-- A letter is a list of
-- - fid
-- - time of death, ms
-- - runs
-- - error JSON
-- - host
-- - priority
-- - order or ""
-- - source digest
-- - attempts allowed
-- - retry base in ms
-- - retry ceiling in ms
-- - time to keep results
-- - {"source", fetch JSON, digest, "<n> <rendition JSON>", …}
local ids, more, at, id = {}, 0, '', ''
for i = 4, #ARGV do ids[#ids + 1] = ARGV[i] end
if #ids == 0 then ids, more, at, id = page_of(P .. 'dead', '-inf', tonumber(ARGV[1]), ARGV[2], ARGV[3]) end
local out = { more, at, id }
for _, fid in ipairs(ids) do
  local m = call('HMGET', P .. 'f:' .. fid, 'state', 'endedAt', 'attempts', 'failure', 'host', 'priority', 'order', 'source', 'maxAttempts',
    'retryBase', 'retryCeiling', 'resultTime')
  if m[1] == 'dead' then
    out[#out + 1] = {
      fid, tonumber(m[2]), tonumber(m[3] or 0), m[4], m[5], tonumber(m[6]), m[7] or '', m[8], tonumber(m[9] or USUAL_ATTEMPTS), tonumber(m[10] or USUAL_BASE),
      tonumber(m[11] or USUAL_CEILING), m[12] or USUAL_TIME, call('HGETALL', P .. 'n:' .. fid),
    }
  end
end
return out
