#!lua flags=allow-oom
-- Lends a shard of a queue its share of maxConcurrent, and answers how it stands. Only the newest lender may raise a share.
-- KEYS   1 prefix, 2 test clock
-- options
-- - epoch: a number of the lender. A greater one fences off all lenders before it. Without it the caller is no lender, and only asks or lowers.
-- - coordinator: the lender
-- - share: the new share, of a lender. Without it, nothing changes.
-- - most: the new share if the present one is greater. Every coordinator may lower a share.
-- - help: "<one in>|<shard> <shard> …": one worker in so many should help these shards. It is sent to the workers of this shard.
-- answer
-- - {"STALE", number of another lender that has come since}
-- - else {share, running, waiting, workers, mark of the settings}. Nothing counts as waiting that no share would help: in a paused queue, or behind the
--   limits of hosts
local options = read_options()
local share
if options.epoch then
  local mine = options.epoch .. ' ' .. options.coordinator
  local last = call('HGET', CFG, 'lender') or ''
  local number = tonumber(string.match(last, '^%d+')) or 0
  if last ~= mine and tonumber(options.epoch) <= number then return { 'STALE', number } end
  call('HSET', CFG, 'lender', mine)
  share = options.share
elseif options.most and cfg.max > tonumber(options.most) then
  share = options.most
end
if share then
  local had = cfg.max
  call('HSET', CFG, 'maxConcurrent', share)
  refresh()
  sync('data:')
  if cfg.max > had then wake() end
end
if options.help then call('SPUBLISH', P .. 'ctl', 'help|' .. options.help) end
local best_ = call('ZRANGE', P .. 'ready', 0, 0, 'WITHSCORES')
local helps = not cfg.paused and best_[1] and best_[2] ~= 'inf'
return { cfg.max, call('ZCARD', P .. 'run'), helps and waiting() or 0, call('ZCARD', P .. 'wseen'), call('HGET', CFG, 'mark') or '' }
