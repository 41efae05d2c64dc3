-- Goes before every script. KEYS[1] is the queue's prefix, "tintype:{name}:". KEYS[2] is the prefix and a test's clock in ms, or absent. Times come
-- from Redis alone. A script that stops half-way keeps its writes: check everything, then write.
--
-- Sources/Shared/queue.md lists the keys of a queue. `RecordKind` in Swift describes the fields of fetches, receipts, callbacks, groups and settings.

local P, call = KEYS[1], redis.call
local QUEUE = string.match(P, '^tintype:{([^}~]*)') -- a shard has the name of its queue here
local IS_SHARD = string.find(P, '~', 1, true) -- not the first one, which has the name of its queue
-- The version of the keys of a queue and their fields. A change that an older program would misread raises it. The first coordinator or worker writes
-- it to cfg, and no script changes anything under another number (QueueSchema). The number of `default` counts for the whole Redis. The answer names
-- any other queue, and only that one is refused.
local SCHEMA = SWIFT.schema
-- The defaults of most fetches and receipts. A fetch without maxAttempts, retryBase, retryCeiling or resultTime has these, and a receipt without names
-- has this name.
local USUAL_ATTEMPTS, USUAL_BASE, USUAL_CEILING = SWIFT.maxAttempts, SWIFT.retryBase, SWIFT.retryCeiling
local USUAL_TIME, USUAL_NAMES = SWIFT.resultTime, '"default"'
local CFG = P .. 'cfg'
local cfg = {} -- the settings of the queue, or their defaults
local function refresh() -- reads the settings; called again after any change
  local v, order, max, hmax, maxq, paused, made, hosts, maxq0, held, hosts0, who, was, channels = unpack(
    call('HMGET', CFG, 'v', 'order', 'maxConcurrent', 'maxConcurrentPerHost', 'maxQueued', 'paused', 'made', 'hasHostLimits', 'defaultMaxQueued',
      'throttles', 'hasHostRules', 'client', 'firstClient', 'publicChannels'))
  cfg.v, cfg.order, cfg.max, cfg.hmax, cfg.maxq = v, order or 'fifo', tonumber(max) or (IS_SHARD and 0 or 64), tonumber(hmax) or 6, tonumber(maxq or maxq0) or 100000
  cfg.paused, cfg.made, cfg.hosts, cfg.held, cfg.hosts0 = paused == '1', made == '1' or QUEUE == 'default' and not IS_SHARD, hosts == '1', held == '1', hosts0 == '1'
  cfg.who, cfg.was, cfg.spublish = who, was, channels == 'sharded'
end
refresh()
if cfg.v and cfg.v ~= SCHEMA then return redis.error_reply('SCHEMA ' .. cfg.v .. (QUEUE == 'default' and '' or ' ' .. QUEUE)) end
local now = KEYS[2] and tonumber(string.sub(KEYS[2], #P + 1))
if not now then
  local t = call('TIME')
  now = t[1] * 1000 + math.floor(t[2] / 1000)
end
