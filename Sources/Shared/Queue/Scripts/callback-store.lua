-- Stores the callback of a receipt that was answered from a coordinator's memory, with the record of its end. Repeating the call, or submitting the
-- receipt after a lost answer, adds no second callback, even after the callback was sent. Refused when Redis is full.
-- KEYS   1 prefix, 2 test clock
-- options
-- - receipt
-- - receiver: "<host and port> <{"url", "secret"} JSON>"
-- - event: JSON of the terminal event
-- - coordinator
-- - fingerprint
-- - meta: fragment ,"tag":…; absent: none
-- - terms: how the end is delivered; absent: the defaults
-- - at: time of the end
-- - body: of the end
-- - keep: ms to keep the record
-- answer
-- - "OK"
-- - "UNKNOWN": no such queue. No coordinator would look for its callbacks.
if not cfg.made then return 'UNKNOWN' end
local options = read_options()
local rid = options.receipt
local key = P .. 'r:' .. rid
if call('EXISTS', key) == 1 then return 'OK' end
call('HSET', key, 'fetch', '', 'coordinator', options.coordinator, 'fingerprint', options.fingerprint, 'seq', 1, 'meta', options.meta or '',
  'terms', options.terms or '', 'state', 'succeeded',
  'at', options.at, 'end', options.body)
call('PEXPIRE', key, options.keep)
call('HSET', P .. 'cb:' .. rid, 'receiver', options.receiver, 'event', options.event)
appoint(rid, options.receiver, int(now))
return 'OK'
