-- Goes before every script. KEYS[1] = the queue's prefix, "tintype:{name}:". KEYS[2] = that and a test's clock in ms, or absent.
-- Times come from Redis alone. A script that stops half-way keeps what it wrote: check everything, then write.
--
-- f:<fid>     hash  a fetch: st q|d|r, then ok|err|can|dead; h host, hs those of its mirrors too, if it has any, space between; p priority in force; o its own order f|l (absent: the
--                   queue's); d source digest; m attempts allowed; att runs charged; deaths runs lost with their worker, dw the last of these (w); tok fence token of the run;
--                   ftok token of the last run that ended; fence the greatest token given out; cx asked to stop, 2 where it has served somebody before; sv it has; so of an ended one the only receipt it has served; rb, rm retry base and ceiling (ms), of several receipts the greatest; sb, sm the least, where they differ; ra not to be run before this, for its origin asked for rest; w worker
--                   (JSON string); gw how often runs of it were asked to give way to another client's, and the token of the last of them; t0 made; ts started; dl last deadline, df none of its receipts' is before this (absent: dl); pr somebody wants progress; pv how somebody wants previews, "<mode> <ms between> <width>"; ph, prog last phase
--                   and progress (`beat` brings ph too); ttl of results (ms, the longest of its receipts; 1 their bytes alone, 2 as long as their source is fresh); to what
--                   a download may take (connect, idle, total in ms, the longest of those who joined before it, absent: as its JSON says); nf made by a reload (1) or to ask the origin (2); ns nobody who waits for it keeps sources; sh "0": not in s: any more; nb none
--                   of its receipts lets a failure be listed in b:; br a success takes its source out of b:; cs why runs failed; p:<n> receipts at priority n; bare
--                   what a dead letter of it keeps in place of n:, whose credentials must not outlive it (absent: all); c whose it is, where there are several clients: an opaque word.
--                   Once ended only st, ftok, te are left, for 10 min; dead letters keep more, see `bury`
-- n:<fid>     hash  what a worker needs: "source" -> fetch JSON; rendition digest -> "<receipts that want it> <its JSON>"
-- fr:<fid>    hash  receipt id -> who: P wants progress, V that and previews, - neither; M|- has meta, priority, space, coordinator
-- r:<rid>     hash  a receipt: f fetch or ""; co coordinator; fp fingerprint; seq of its last event; t0 (absent: that of its fetch); keep (ms after its end,
--                   absent: a day); meta JSON fragment; how its request wants the end handed over (ReceiptTerms, absent: as
--                   usual); left its coordinator has nobody who waits for it; gv why it was given up elsewhere when it was handed to its coordinator, until somebody takes it up there (JSON string); fo other coordinators where somebody does, space between; cb who is to be called at its end, "<host and port> <{"url", "secret"} JSON>"; digs digests, names JSON strings (same order,
--                   space and \n between; no names: one "default"); want digests still to come (absent: digs); i:<digest> RenditionInfo it has, desc the description. Once
--                   ended: also st ok|err|can, end body of the terminal event, at; expires after keep
-- s:<start>   hash  the first four characters of a source digest: the rest of it -> its live fetch, the one a new receipt joins; with @ and a word behind it where requests of other cache words may not
-- x:<digest>  text  result index by rendition digest: RenditionInfo, SourceInfo, description or "", \n between; expires
-- b:<digest>  text  blacklist by source digest: "<since, ms> <until, ms> <d: pictures only | n: any use> <error JSON>"; expires
-- bl  zset  source digest in b: -> until (ms)
-- sl:<slot>  text  the live receipt in a slot, whose record has the slot as sl
-- hq: ho:<host>  zset  waiting fetches of a host: hq those in the queue's order, ho those with their own; aq, ao: of all hosts
-- ready  zset  hosts with work, by the rank of their best fetch; those without room, and held ones, are ranked "inf"
-- cq: co:<client>  zset  waiting fetches of a client, as hq: and ho:, where there are several clients;   cr:<client>  set  running ones
-- cl  zset  clients that may have some waiting, those first that were looked at longest ago. cfg says in who whose all fetches are, * if there are
--                   several clients, and in was whose those are without c, from before the second one came; in way when runs were last asked to give way (ms)
-- held  zset  host that asked to be left alone -> until (ms); cfg says in held whether there is any
-- run  zset  running fetch -> end of its lease (ms);   hr:<host>  set  running fetches of a host
-- delay  zset  fetch -> due (ms);   dl  zset  receipt -> deadline (ms);   dead  zset  dead letter -> when (ms)
-- mark  zset  wake-up marker;   cfg  hash  settings, v the number of their schema, maxq0 the coordinators' limit where maxq is absent, since when it was last configured, used
--                   when a coordinator or worker had last to do with it (ms);   hlim  hash  host -> limit;
-- hlim0  hash  the coordinators' rules, behind hlim: host, .b.c for all below it or * -> "<number of the rule>:<limit>", and with a / before it -> "<number of the rule>:<ms between two begun>"; cfg says in hosts0 whether there is any;   seq  counter of fetches
-- cseq  hash  coordinator -> number of its channel's last message;   co  zset  coordinator -> seen (ms)
-- cb:<rid>  hash  a callback that is owed: to "<host and port> <{"url", "secret"} JSON>", ev terminal event, n tries that have failed, tok of its last lease
-- cbh:<host>  zset  receipt -> when its callback to this host is due, or its lease ends (ms);   cbs  zset  host -> when the first of those is
-- workers  hash  worker -> JSON;   wseen  zset  worker -> seen (ms);   quiet  set  workers that are to take nothing new
-- strays  zset  beside `default` alone: queue that workers serve and nobody has -> until when that stands (ms)
-- id:<rid>    text  beside `default` alone: the other queue that a receipt's id belongs to that its client has chosen, a space, token of
--                   whoever may let it go; expires when the receipt is forgotten
-- Groups, beside `default` alone, whatever queues their requests go to:
-- g:<gid>     hash  a group: st run|ok|err|can; kind; strict "1" if one failure ends it; conc how many run at once; total; seq of its last
--                   event; co who drives it; tok fence token of that; last ids of the last 16 appends; at, bad index that failed, fails how many have, size bytes of gr:, asked bytes of gq: while it runs, why JSON; died how
--                   many drivers were lost since one of its requests ended, err why it was given up for that. Kept a day after
--                   its end, as are gr: and gb:
-- gq:<gid>    hash  index -> request JSON, until it has ended;   gr:<gid>  hash  index -> what came of it, JSON
-- gb:<gid>    hash  index -> "<queue> <receipt>" of those that were begun and have not ended
-- gl  zset  groups that run, or have something begun to withdraw -> end of the lease of who drives them (ms), or when it was given up, below 0
local P, call = KEYS[1], redis.call
local QUEUE = string.match(P, '^tintype:{([^}]*)')
-- What the keys of a queue are and what their fields mean: raised with a change that a program from before it would misread. It is in
-- cfg, by whoever came first; by another number nobody changes anything (QueueSchema). That of `default` stands for the whole Redis; the
-- answer names any other queue, which alone is refused then.
local SCHEMA = '3'
-- Attempts, retry base and ceiling, and ttl of a fetch that has no m, rb, rm or ttl, and the names of a receipt without: most are as these are.
local USUAL_M, USUAL_RB, USUAL_RM, USUAL_TTL, USUAL_NAMES = '3', '500', '30000', '2', '"default"'
local CFG = P .. 'cfg'
local cfg = {} -- the queue's settings, or their defaults
local function refresh() -- reads them; once more after any change
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

local function int(x) return string.format('%.0f', x) end -- ".." would round to 14 digits, and a number as an argument costs more

local function put(list, name, value) list[#list + 1] = name; list[#list + 1] = value end

local function contained(key) -- the type of a key, and all that it holds: a text, members of a set, or pairs
  local kind = call('TYPE', key).ok
  if kind == 'string' then return kind, call('GET', key) end
  if kind == 'hash' then return kind, call('HGETALL', key) end
  if kind == 'set' then return kind, call('SMEMBERS', key) end
  if kind == 'zset' then return kind, call('ZRANGE', key, 0, -1, 'WITHSCORES') end
  return kind, ''
end
