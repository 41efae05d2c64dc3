-- Goes before every script. KEYS[1] is the queue's prefix, "tintype:{name}:". KEYS[2] is the prefix and a test's clock in ms, or absent. Times come
-- from Redis alone. A script that stops half-way keeps its writes: check everything, then write.
--
-- f:<fid>  hash  a fetch
-- - st: q|d|r (queued, delayed, running), then ok|err|can|dead
-- - h: host
-- - hs: hosts of all its URLs, if it has mirrors, space between
-- - p: priority in force
-- - p:<n>: receipts at priority n
-- - o: its own order f|l (absent: the queue's)
-- - d: source digest
-- - m: attempts allowed
-- - att: attempts counted
-- - deaths: runs lost with their worker
-- - dw: the worker of the last of these, as in w
-- - tok: fencing token of the run
-- - ftok: token of the last run that ended
-- - fence: the greatest token given out
-- - cx: asked to stop; 2 if the fetch has served a receipt before
-- - sv: it has served a receipt
-- - so: after its end, the only receipt that it has served
-- - rb, rm: retry base and ceiling (ms); of several receipts the greatest
-- - sb, sm: the least of these, where receipts differ
-- - ra: no run before this time, since its origin asked for a pause
-- - w: worker (JSON string)
-- - gw: how often its runs were asked to yield, to another client's or since it is paused, and the token of the last of these
-- - pn: how many of its receipts are paused
-- - pz: all of its receipts are paused, so it waits for none of them
-- - t0: made
-- - ts: started
-- - dl: last deadline
-- - df: no deadline of its receipts is before this (absent: dl)
-- - pr: least ms between two reports of progress, if a receipt wants any
-- - pv: previews that a receipt wants, "<mode> <ms between> <width>"
-- - ph, prog: last phase and progress (`beat` writes ph too)
-- - ttl: of results (ms, the longest of its receipts; 1 their bytes alone, 2 as long as their source is fresh)
-- - to: timeouts of the download: connect, idle, total in ms, the longest of the receipts that joined before it (absent: as its JSON says)
-- - nf: made by a reload (1) or to ask the origin (2)
-- - ns: no receipt that waits for it keeps its source
-- - sh: "0": no longer in s:
-- - nb: no receipt lets a failure be added to b:
-- - br: a success removes its source from b:
-- - cs: causes of failed runs
-- - bare: the text that its dead letter keeps in place of n:, whose credentials must not outlive the fetch (absent: all)
-- - c: its client, an opaque word, where there are several clients
-- - te: end. After it only st, ftok, te and so are left, for 10 min. Dead letters keep more, see `bury`.
--
-- n:<fid>  hash  the work for a worker: "source" -> fetch JSON; rendition digest -> "<receipts that want it> <its JSON>"
--
-- fr:<fid>  hash  receipt id -> P wants progress, V progress and previews, - neither; M has meta, - has none; priority, space, coordinator
--
-- r:<rid>  hash  a receipt
-- - f: fetch or ""
-- - co: coordinator
-- - fp: fingerprint
-- - seq: number of its last event
-- - t0: made (absent: as its fetch)
-- - keep: ms after its end (absent: a day)
-- - meta: JSON fragment
-- - how: options for the delivery of its end (ReceiptTerms; absent: the defaults)
-- - left: no client of its coordinator waits for it
-- - gv: the reason for which it was given up elsewhere and handed to its coordinator, until a client takes it up there (JSON string)
-- - fo: other coordinators with clients that wait for it, space between
-- - cb: receiver of its callback, "<host and port> <{"url", "secret"} JSON>"
-- - sl: its supersede key
-- - digs: digests, space between
-- - names: JSON strings in the same order, \n between (absent: one "default")
-- - pz: it is paused; its first letter in fr: before that
-- - want: digests still to come (absent: digs)
-- - i:<digest>: RenditionInfo it has
-- - desc: the description
-- - st, end, at: after its end ok|err|can, the body of its terminal event, the time. It expires after keep.
--
-- s:<start>  hash  the first four characters of a source digest: the others -> its live fetch, which a new receipt joins. An @ and a word follow where
-- the cache options of requests keep them apart.
--
-- x:<digest>  text  result index by rendition digest: RenditionInfo, SourceInfo, description or "", \n between; expires
--
-- b:<digest>  text  blacklist by source digest: "<since, ms> <until, ms> <d: pictures only | n: any use> <error JSON>"; expires
--
-- bl  zset  source digest in b: -> until (ms)
--
-- sl:<slot>  text  the live receipt of a supersede key; its record has the key as sl
--
-- hq: ho:<host>  zset  waiting fetches of a host: hq those in the queue's order, ho those with their own; aq, ao: of all hosts
--
-- ready  zset  hosts with work, by the rank of their best fetch; hosts without room, and throttled ones, have rank "inf"
--
-- cq: co:<client>  zset  waiting fetches of a client, as hq: and ho:, where there are several clients
--
-- cr:<client>  set  running ones
--
-- cl  zset  clients that may have waiting fetches; those come first that were checked longest ago
--
-- held  zset  throttled host -> until (ms)
--
-- run  zset  running fetch -> end of its lease (ms)
--
-- hr:<host>  set  running fetches of a host
--
-- delay  zset  fetch -> due (ms), of a paused one beyond all times
--
-- dl  zset  receipt -> deadline (ms)
--
-- dead  zset  dead letter -> when (ms)
--
-- mark  zset  wake-up marker
--
-- cfg  hash  settings of the queue: order, max, hmax, maxq, paused, made, and
-- - v: the number of the schema
-- - maxq0: the coordinators' limit, where maxq is absent
-- - since: when the queue was last configured (ms)
-- - used: when a coordinator or worker last used it (ms)
-- - hosts, hosts0, held: whether hlim, hlim0, held have an entry
-- - who: the client of all fetches, * if there are several clients
-- - was: with several clients, the client of the fetches without c, which were there before the second client
-- - way: when runs were last asked to yield (ms)
--
-- hlim  hash  host -> limit
--
-- hlim0  hash  the coordinators' rules, for hosts without an entry in hlim
-- - limits: host, .b.c for all below it or * -> "<number of the rule>:<limit>"
-- - paces: the same with a / before it -> "<number of the rule>:<ms between two begun>"
--
-- seq  text  counter of fetches
--
-- cseq  hash  coordinator -> number of its channel's last message
--
-- co  zset  coordinator -> seen (ms)
--
-- act  hash  beside `default` only: coordinator -> number of requests that it counts as work
--
-- cb:<rid>  hash  a callback that is owed
-- - to: "<host and port> <{"url", "secret"} JSON>"
-- - ev: terminal event
-- - n: failed tries
-- - tok: token of its last lease
--
-- cbh:<host>  zset  receipt -> when its callback to this host is due, or its lease ends (ms)
--
-- cbs  zset  host -> when the first callback in cbh: is due (ms)
--
-- workers  hash  worker -> JSON
--
-- wseen  zset  worker -> seen (ms)
--
-- quiet  set  workers that drain
--
-- strays  zset  beside `default` only: queue that workers serve and that does not exist -> end of the announcement (ms)
--
-- queues  hash  beside `default` only: name of a queue -> a mark that is new each time it is listed
--
-- id:<rid>  text  beside `default` only: the owner of an id that a client has chosen. It names another queue, then a space and the tokens of the attempts
-- that may free the id. It expires when the receipt is forgotten.
--
-- Groups are stored beside `default` only, whatever queues their requests use.
--
-- g:<gid>  hash  a group
-- - st: run|ok|err|can
-- - kind: prefetch|batch|chain
-- - strict: "1" if one failure ends it
-- - conc: how many run at once
-- - total: number of requests
-- - seq: number of its last event
-- - co: coordinator that drives it
-- - tok: fencing token of that
-- - last: ids of the last 16 appends
-- - at: end
-- - bad: index of the request that failed
-- - fails: number of failed requests
-- - size: bytes of gr:
-- - asked: bytes of gq: while it runs
-- - why: reason JSON
-- - died: drivers lost since one of its requests ended
-- - err: error of a group that was given up for that
--
-- It is kept for a day after its end, as are gr: and gb:.
--
-- gq:<gid>  hash  index -> request JSON, until it has ended
--
-- gr:<gid>  hash  index -> outcome, JSON
--
-- gb:<gid>  hash  index -> "<queue> <receipt>" of requests that were begun and have not ended
--
-- gl  zset  group that runs, or has begun requests to cancel -> end of the driver's lease (ms), below 0 when it was given up

--@always
local P, call = KEYS[1], redis.call
local QUEUE = string.match(P, '^tintype:{([^}]*)')
-- The version of the keys of a queue and their fields. A change that an older program would misread raises it. The first coordinator or worker writes
-- it to cfg, and no script changes anything under another number (QueueSchema). The number of `default` counts for the whole Redis. The answer names
-- any other queue, and only that one is refused.
local SCHEMA = '3'
-- The defaults of most fetches and receipts. A fetch without m, rb, rm or ttl has these attempts, retry base,
-- retry ceiling and ttl, and a receipt without names has this name.
local USUAL_M, USUAL_RB, USUAL_RM, USUAL_TTL, USUAL_NAMES = '3', '500', '30000', '2', '"default"'
local CFG = P .. 'cfg'
local cfg = {} -- the settings of the queue, or their defaults
local function refresh() -- reads the settings; called again after any change
  local v, order, max, hmax, maxq, paused, made, hosts, maxq0, held, hosts0, who, was = unpack(
    call('HMGET', CFG, 'v', 'order', 'max', 'hmax', 'maxq', 'paused', 'made', 'hosts', 'maxq0', 'held', 'hosts0', 'who', 'was'))
  cfg.v, cfg.order, cfg.max, cfg.hmax, cfg.maxq = v, order or 'f', tonumber(max) or 64, tonumber(hmax) or 6, tonumber(maxq or maxq0) or 100000
  cfg.paused, cfg.made, cfg.hosts, cfg.held, cfg.hosts0 = paused == '1', made == '1' or QUEUE == 'default', hosts == '1', held == '1', hosts0 == '1'
  cfg.who, cfg.was = who, was
end
refresh()
if cfg.v and cfg.v ~= SCHEMA then return redis.error_reply('SCHEMA ' .. cfg.v .. (QUEUE == 'default' and '' or ' ' .. QUEUE)) end
local now = KEYS[2] and tonumber(string.sub(KEYS[2], #P + 1))
if not now then
  local t = call('TIME')
  now = t[1] * 1000 + math.floor(t[2] / 1000)
end
--@end

-- Reads the options of a call from ARGV: name, value, … up to the word `items`, behind which a list follows. Answers the values by name, and the place
-- of the first item. An option that is not sent has its default.
local function read_options()
  local options, at = {}, 1
  local name = ARGV[1]
  while name and name ~= 'items' do
    options[name] = ARGV[at + 1]
    at = at + 2
    name = ARGV[at]
  end
  return options, name and at + 1 or at
end

local function int(x) return string.format('%.0f', x) end -- ".." would round to 14 digits, and a number as an argument costs more

local function put(list, name, value) list[#list + 1] = name; list[#list + 1] = value end

local function contained(key) -- answers the type of a key, and its whole content: a text, members of a set, or pairs
  local kind = call('TYPE', key).ok
  if kind == 'string' then return kind, call('GET', key) end
  if kind == 'hash' then return kind, call('HGETALL', key) end
  if kind == 'set' then return kind, call('SMEMBERS', key) end
  if kind == 'zset' then return kind, call('ZRANGE', key, 0, -1, 'WITHSCORES') end
  return kind, ''
end
