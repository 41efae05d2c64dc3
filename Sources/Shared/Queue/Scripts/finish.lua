#!lua flags=allow-oom
-- Ends a run that succeeded. Fenced by the token, and repeatable after a lost answer.
-- KEYS   1 prefix, 2 test clock
-- options
-- - fetch
-- - token
-- - facts: members that name the place the source came from, line break, metrics JSON
-- items
-- - six per rendition: digest, made|failed, info or error JSON, SourceInfo, description, time to keep. If the rendition failed by the fault of its source, the
--   last two are the blacklist entry and the ms that it stays.
-- answer
-- - {"OK"[, the traces of its requests, as `claim` has them]}
-- - {"VOID"}: the fetch was withdrawn before, and no client gets the results
-- - {"MORE", time to keep results, digest, "<n> <rendition JSON>", …}: these joined meanwhile. Make them too, then finish again.
-- - {"KEEP", time}: nothing changed. Store the renditions for this time, then finish again.
-- - {"PURGED"}: nothing changed. The source was purged after the run began: keep the results only for the receipts that wait now, then finish again.
-- - {"PART"}: some of the receipts have ended. The same call goes on with the others.
-- - {"LATE"}: nothing changed. The deadline of a receipt has passed, so call `expire` first.
-- - {"DUP"}: this token has already finished
-- - {"STALE"}: the run belongs to another worker, nothing changed
local options, first = read_options()
local fid, token = options.fetch, options.token
local key = P .. 'f:' .. fid
local m = call('HMGET', key, 'state', 'token', 'endedToken', 'withdrawn', 'host', 'source', 'attempts', 'worker', 'startedAt', 'resultTime',
  'overtaken', 'unlisted', 'unlists', 'causes', 'firstDeadline', 'deadline', 'served', 'queuedAt', 'tags', 'purged', 'traces', 'settled')
if m[1] ~= 'running' or m[2] ~= token then return { m[3] == token and 'DUP' or 'STALE' } end
local sole, facts
if not m[4] then
  if now >= (tonumber(m[15] or m[16]) or math.huge) then return { 'LATE' } end
  local time = m[10] or USUAL_TIME
  if m[20] == token then --@rare
    if outlasts(first) then return { 'PURGED' } end
    facts = mark_purged(options.facts)
  elseif is_short_lived(first, lasting(time)) then return { 'KEEP', time } end
  local waiting_, gone = settle_all(fid, first, { tried(m[7], m[14]), m[8], m[9], m[6], m[12], m[13], m[18], m[19] }, facts or options.facts, token, m[22])
  if not waiting_ then return { 'PART' } end
  sole = #waiting_ == 2 and not m[17] and waiting_[1]
  if #gone * 2 < #waiting_ then --@rare
    dismiss(fid, gone)
    for i = first + 1, #ARGV, 6 do
      if ARGV[i] == 'made' then call('HSET', key, 'served', 1) end
    end
    local more = { 'MORE', time }
    local owed = call('HGETALL', P .. 'n:' .. fid)
    for i = 1, #owed, 2 do
      if owed[i] ~= 'source' then more[#more + 1] = owed[i]; more[#more + 1] = owed[i + 1] end
    end
    return more
  end
end
leave_running(fid, m[5])
end_fetch(fid, m[4] == 'unserved' and 'cancelled' or 'succeeded', m[6], m[11], token)
if sole then call('HSET', key, 'onlyReceipt', sole) end
wake()
return { m[4] == 'unserved' and 'VOID' or 'OK', m[21] or nil }
