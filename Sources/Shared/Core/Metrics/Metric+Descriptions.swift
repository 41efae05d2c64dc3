/// The one table of metrics.
extension Metric {
    /// The description of this metric for `/metrics` and the documentation.
    package var description: MetricDescription {
        switch self {
        // Queues and receipts.
        case .queueFetches:
            .gauge("tintype_queue_fetches", by: "queue", "state", help: "Fetches in a queue: queued, delayed, running or dead.")
        case .queueOldestSeconds:
            .gauge("tintype_queue_oldest_seconds", by: "queue", help: "Waiting time of the oldest queued fetch.")
        case .queuePaused:
            .gauge("tintype_queue_paused", by: "queue", help: "1 while a queue is paused.")
        case .queueLimit:
            .gauge(
                "tintype_queue_limit", by: "queue", "limit",
                help: "Limits of a queue: concurrent (running fetches), perHost (those of one host) or queued (waiting fetches).")
        case .queueHeldHosts:
            .gauge(
                "tintype_queue_held_hosts", by: "queue", "reason",
                help: "Throttled hosts of a queue, of which at most 100 are counted: asked (by Retry-After) or pace (a pace of rules alone).")
        case .queueBlacklisted:
            .gauge("tintype_queue_blacklisted", by: "queue", help: "Sources on the blacklist.")
        case .deadLetters:
            .counter(
                "tintype_dead_letters_total", by: "queue",
                help: "Fetches of a queue that became dead letters, as Redis counts them for all processes. A dead letter that is removed stays counted.")
        case .workers:
            .gauge(
                "tintype_workers", by: "queue", "state",
                help:
                    "Workers that serve a queue, by the state in their last heartbeat: starting, running, quiet, draining, stopped or other. "
                    + "A worker without a heartbeat within a lease is lost.")
        case .submits:
            .counter(
                "tintype_submits_total", by: "queue", "outcome",
                help:
                    "Requests by outcome. Admitted: queued, joined, again, or ended at once by memory, results or blacklisted. Refused: the error's name, "
                    + "such as overloaded (the queue or Redis is full), invalidParams or unavailable."
            )
        case .receiptsLive:
            .gauge("tintype_receipts_live", help: "Receipts of this coordinator that have not ended.")
        case .eventsReceived:
            .counter("tintype_events_received_total", by: "type", help: "Events received from workers over Redis.")
        case .eventGaps:
            .counter("tintype_event_gaps_total", help: "Missed events, after which the state was read again from Redis.")
        case .callbacks:
            .counter(
                "tintype_callbacks_total", by: "outcome",
                help: "Callback attempts: sent, failed (to be retried) or givenUp (refused for good, or the last of five).")
        case .durable:
            .counter(
                "tintype_durable_total", by: "outcome",
                help:
                    "Waits of accepted requests for replicas of Redis: kept (replicas have it), unsure (not confirmed in time) or lost (Redis has lost it).")
        case .durableSeconds:
            .seconds("tintype_durable_seconds", buckets: MetricDescription.quickBuckets, help: "Time of one wait for replicas.")
        case .reaped:
            .counter(
                "tintype_reaped_total", by: "outcome",
                help:
                    "Endings by the reaper: leases of silent workers, deadlines of receipts, receipts of stopped coordinators, or permits for clients with "
                    + "fewer runs.")
        // Fetches and leases.
        case .workerPermits:
            .gauge(
                "tintype_worker_permits", by: "kind",
                help: "The most fetches that this worker runs at once, and its pixel processes: kind fetches or pixels.")
        case .claims:
            .counter("tintype_claims_total", by: "queue", help: "Runs of the claim script.")
        case .fetchesClaimed:
            .counter("tintype_fetches_claimed_total", by: "queue", help: "Fetches handed to this worker.")
        case .fetchesFinished:
            .counter(
                "tintype_fetches_finished_total", by: "queue", "outcome",
                help:
                    "Ends of fetches at this worker: succeeded, failed for good, retried (has another run), cancelled, returned (released to the queue) or "
                    + "stale (lease over).")
        case .fetchesRunning:
            .gauge("tintype_fetches_running", help: "Fetches that this worker has leased.")
        case .fetchQueuedSeconds:
            .seconds("tintype_fetch_queued_seconds", by: "queue", help: "Time from submit to claim.")
        case .fetchSeconds:
            .seconds("tintype_fetch_seconds", by: "outcome", help: "Time from claim to finish.")
        case .fetchPhaseSeconds:
            .seconds(
                "tintype_fetch_phase_seconds", by: "phase",
                help:
                    "Time of each phase of a fetch that succeeded: dns, connect, tls, firstByte, download, decode, transform, encode or store. Phases that it "
                    + "did not have are left out.")
        case .errors:
            .counter(
                "tintype_errors_total", by: "name", "phase",
                help: "Failures by error name and phase: admission, cache, queue, download, decode, transform, encode, store or deliver.")
        case .leasesLost:
            .counter("tintype_leases_lost_total", help: "Fetches given up because their lease had ended.")
        // Downloads and pictures.
        case .downloads:
            .counter("tintype_downloads_total", by: "outcome", help: "Downloads ended: succeeded, failed or cancelled.")
        case .downloadBytes:
            .counter("tintype_download_bytes_total", help: "Body bytes received from origins.")
        case .downloadSeconds:
            .seconds("tintype_download_seconds", help: "Time of one download, connecting included.")
        case .downloadsInFlight:
            .gauge("tintype_downloads_in_flight", help: "Running downloads.")
        case .downloadsPaused:
            .gauge("tintype_downloads_paused", help: "Downloads that are paused because the byte budget is used up.")
        case .pixelProcesses:
            .gauge("tintype_pixel_processes", by: "state", help: "Pixel processes: idle or busy.")
        case .pixelWaiting:
            .gauge("tintype_pixel_waiting", help: "Images waiting for a pixel process.")
        case .pixelJobs:
            .counter("tintype_pixel_jobs_total", by: "outcome", help: "Images through pixel processes: succeeded, failed, timeout or crashed.")
        case .pixelsShared:
            .counter("tintype_pixels_shared_total", help: "Renditions from pixels that were decoded for an earlier rendition of the same source.")
        case .previews:
            .counter(
                "tintype_previews_total", by: "outcome",
                help: "Previews of arriving sources: sent, failed, or dropped (for other work, or because the source was complete).")
        case .pixelSeconds:
            .seconds("tintype_pixel_seconds", by: "phase", help: "Time in a pixel process: decode, transform or encode.")
        case .pixelExits:
            .counter(
                "tintype_pixel_exits_total", by: "reason",
                help: "Ends of pixel processes: retired, deadline, crashed, killed, stopped or violation (of a rule: see the log).")
        case .pixelCPUSeconds:
            .counter("tintype_pixel_cpu_seconds_total", help: "User and system time of the pixel processes of this worker, of ended ones too.")
        case .sourceBytes:
            .counter("tintype_source_bytes_total", by: "format", help: "Bytes of the sources of made pictures, by their format; once for each picture.")
        case .resultBytes:
            .counter("tintype_result_bytes_total", by: "format", help: "Bytes of made pictures by their format.")
        case .resultSourceBytes:
            .counter(
                "tintype_result_source_bytes_total", by: "format",
                help: "Bytes of the sources of made pictures, by the format of the picture. Less tintype_result_bytes_total, these are the saved bytes.")
        // Stores and caches.
        case .storeOperations:
            .counter(
                "tintype_store_operations_total", by: "store", "operation", "outcome",
                help:
                    "Reads and writes. Results: store file, redis or s3, with operation put, hold (a spill of a minute), get or fallback (a read of "
                    + "--results-fallback). Cached sources: store sources, with operation get, put or remove. Outcome ok or failed."
            )
        case .storeSeconds:
            .seconds(
                "tintype_store_seconds", by: "store", "operation", buckets: MetricDescription.storeBuckets,
                help:
                    "Time of one operation of a store, also of one that fails. Operations: get, put, remove, hold or fallback. Stores: file, redis, s3 or "
                    + "sources. A result that is sent from an open file has no time."
            )
        case .cacheLookups:
            .counter(
                "tintype_cache_lookups_total", by: "tier", "outcome",
                help: "Lookups before queueing: tier memory or results, outcome hit or miss. By a worker: tier sources, outcome hit, stale, expired or miss.")
        case .cacheBytes:
            .gauge("tintype_cache_bytes", by: "tier", help: "Bytes in the tier memory.")
        case .cacheEntries:
            .gauge("tintype_cache_entries", by: "tier", help: "Results in the tier memory.")
        case .cacheEvictions:
            .counter(
                "tintype_cache_evictions_total", by: "tier", "reason",
                help:
                    "Results that left the tier memory: full (room for others), expired, pressure (memory was short) or forgotten (replaced, cancelled or "
                    + "cleared)."
            )
        // Clients.
        case .objective:
            .counter(
                "tintype_objective_total", by: "entrance", "verdict",
                help:
                    "Requests at the entrance load (image.load) or door, by verdict: good, slow (more than \(Int(ObjectiveVerdict.bound)) s) or failed (by a "
                    + "fault of Tintype itself). A client that leaves is slow after that time; before it, the client counts as nothing."
            )
        case .rpcConnections:
            .gauge("tintype_rpc_connections", help: "Open JSON-RPC connections.")
        case .rpcConnectionsAccepted:
            .counter("tintype_rpc_connections_total", help: "JSON-RPC connections accepted.")
        case .rpcRequests:
            .counter("tintype_rpc_requests_total", by: "method", "outcome", help: "Answered requests. The outcome is ok or the error's name.")
        case .rpcSeconds:
            .seconds(
                "tintype_rpc_seconds", by: "method", buckets: MetricDescription.answerBuckets,
                help: "Time from request to answer.")
        case .rpcInFlight:
            .gauge("tintype_rpc_in_flight", help: "Unanswered requests.")
        case .rpcNotifications:
            .counter("tintype_rpc_notifications_total", by: "type", help: "Notifications sent, by event type.")
        case .rpcCuts:
            .counter("tintype_rpc_cuts_total", by: "reason", help: "Connections that the server closed: slow, tooLong, badFrame or noToken.")
        case .answerBytes:
            .gauge("tintype_answer_bytes", help: "Bytes of long answers over JSON-RPC that are made, or that their clients have not taken yet.")
        case .answersWaiting:
            .gauge("tintype_answers_waiting", help: "Long answers over JSON-RPC that wait for room.")
        case .connectionsRefused:
            .counter(
                "tintype_connections_refused_total", by: "listener", "limit",
                help: "Connections closed at once, by listener (rpc, http, images) and limit. Limits: total and address (too many were open), header (a proxy "
                    + "of --trusted-proxies sent no sound PROXY header).")
        case .clientRequests:
            .counter(
                "tintype_client_requests_total", by: "name",
                help: "Requests that count for the limits of a name in the token file, refused ones included. Only if some name has a limit. The name is * "
                    + "for all together, without --metrics-names.")
        case .clientRefused:
            .counter(
                "tintype_client_refused_total", by: "name", "limit",
                help: "Requests beyond a limit of their name: perSecond, running or queued.")
        case .clientRunning:
            .gauge("tintype_client_running", by: "name", help: "Open receipts of a name at this coordinator. Only if some name has a limit.")
        case .clientQueued:
            .gauge("tintype_client_queued", by: "name", help: "Requests of a name that wait at this coordinator for a place among the running ones.")
        case .tokensRefused:
            .counter(
                "tintype_tokens_refused_total", by: "reason",
                help: "Tokens refused: wrong, or throttled (not looked at, since too many wrong ones came from the address).")
        case .httpRequests:
            .counter(
                "tintype_http_requests_total", by: "route", "status",
                help: "HTTP requests answered. The route looks is images with memory=no, at which only the dashboard looks.")
        case .httpSeconds:
            .seconds(
                "tintype_http_seconds", by: "route", buckets: MetricDescription.answerBuckets,
                help: "Time from HTTP request until its answer is ready to be sent. How long the client takes to receive the answer is not in it.")
        case .httpSentBytes:
            .counter(
                "tintype_http_sent_bytes_total", by: "route",
                help: "Body bytes of the answers of HTTP that were ready to be sent. A client that leaves may not have received all of them.")
        case .httpUnsentBytes:
            .gauge("tintype_http_unsent_bytes", help: "Bytes in memory of answers of HTTP that clients have not taken yet.")
        case .httpCuts:
            .counter(
                "tintype_http_cuts_total", by: "reason",
                help: "Clients of HTTP that were cut off in the middle of an answer: slow (below the lowest rate) or full (others needed the memory).")
        case .eventStreams:
            .gauge("tintype_event_streams", by: "kind", help: "Open streams of GET /events, by kind: receipt, queue or statistics.")
        case .doorRequests:
            .counter(
                "tintype_door_requests_total", by: "outcome",
                help:
                    "Requests at the picture door. Outcomes: hit (Redis was not asked), kept (the index had the picture), made, unchanged (304), "
                    + "fallback, accepted (202), refused, failed, gone (the client left)."
            )
        case .doorQuick:
            .counter(
                "tintype_door_quick_total", by: "next",
                help:
                    "Quick pictures shown in place of better ones, by the state of the better one. States: begun, joined (under way), rests "
                    + "(it has failed or just ended), dropped (too many are under way).")
        case .doorBackground:
            .counter(
                "tintype_door_background_total", by: "kind", "outcome",
                help:
                    "Ended work of the picture door that no client waits for, by kind (better, or async by Prefer: respond-async) and outcome: made or failed.")
        case .doorBackgroundRunning:
            .gauge("tintype_door_background_running", by: "kind", help: "Work of the picture door that no client waits for, queued or running, by kind.")
        case .picturesLimited:
            .counter(
                "tintype_pictures_limited_total", by: "limit",
                help: "Requests that were answered 429 because their address asked for more than --images-rate, by limit: requests or pictures (to be made).")
        case .tlsHandshakes:
            .counter(
                "tintype_tls_handshakes_total", by: "listener", "outcome",
                help:
                    "TLS handshakes with clients, by listener (rpc, http, images, worker) and outcome. Outcomes: succeeded, certificate (the client's is missing or "
                    + "invalid), failed (any other fault), closed (by the client) or timeout.")
        case .tlsCertificateExpiry:
            .gauge(
                "tintype_tls_certificate_expiry_seconds", by: "certificate",
                help: "The time at which the certificate server expires, or one above it in its file: seconds since 1970.")
        // Processes.
        case .redisConnected:
            .gauge(
                "tintype_redis_connected", by: "connection", help: "1 while a connection to the Redis of the queue is up: connection commands or subscriber.")
        case .redisPrimary:
            .gauge("tintype_redis_primary", by: "address", help: "1 for the address of the Redis of the queue that this process uses, or used last.")
        case .redisSwitches:
            .counter("tintype_redis_switches_total", help: "How often this process has gone over to another primary of the Redis of the queue.")
        case .redisSentinels:
            .gauge("tintype_redis_sentinels", help: "Sentinels of the Redis of the queue that are connected; absent without sentinels.")
        case .redisReconnects:
            .counter(
                "tintype_redis_reconnects_total", by: "connection",
                help: "Connections to the Redis of the queue that were made anew after a break: connection commands or subscriber.")
        case .redisTopologyChanges:
            .counter(
                "tintype_redis_topology_changes_total",
                help: "Changes of the servers that have the keys: another primary, or in a Redis Cluster also slots that another server has.")
        case .redisRedirects:
            .counter(
                "tintype_redis_redirects_total", by: "kind",
                help: "Commands that a server of a Redis Cluster refused because of a slot: moved (it has moved), ask or tryAgain (it is on its way).")
        case .redisCommandSeconds:
            .seconds(
                "tintype_redis_command_seconds", by: "command", "outcome", buckets: MetricDescription.quickBuckets,
                help:
                    "Time from a command to the answer of the Redis of the queue, by script or command. Outcomes: ok, refused (an error) or lost (no answer). "
                    + "Commands behind a wait count from its end.")
        case .processResidentBytes:
            .gauge("tintype_process_resident_bytes", by: "process", help: "Resident memory: process parent or pixel (all pixel processes).")
        case .processCPUSeconds:
            .counter("tintype_process_cpu_seconds_total", help: "User and system time of this process, without its pixel processes.")
        case .processOpenFiles:
            .gauge("tintype_process_open_files", help: "Open file descriptors.")
        case .processStartSeconds:
            .gauge("tintype_process_start_seconds", help: "Start of the process, seconds since 1970.")
        case .loopLagSeconds:
            .seconds("tintype_loop_lag_seconds", help: "Delay of a timer of the event loop that runs four times a second. Less than 1 ms is no delay.")
        case .loopLongTurnSeconds:
            .seconds(
                "tintype_loop_long_turn_seconds",
                help: "Turns of the event loop above 20 ms: one callback or part of a task, while everything else waited. None is normal.")
        case .traceSpans:
            .counter(
                "tintype_trace_spans_total", by: "outcome",
                help: "Spans of traces: sent, failed (the collector did not take them, or rejected them) or dropped (too many waited).")
        case .standardCPUSeconds:
            .counter(
                "process_cpu_seconds_total", help: "The same as tintype_process_cpu_seconds_total: tintype_pixel_cpu_seconds_total has the pixel processes.")
        case .standardResidentBytes:
            .gauge("process_resident_memory_bytes", help: "Resident memory of this process, without its pixel processes.")
        case .standardOpenFiles:
            .gauge("process_open_fds", help: "The same as tintype_process_open_files.")
        case .standardMaxOpenFiles:
            .gauge("process_max_fds", help: "The most file descriptors that this process may have open.")
        case .standardStartSeconds:
            .gauge("process_start_time_seconds", help: "The same as tintype_process_start_seconds.")
        case .buildInfo:
            .gauge("tintype_build_info", by: "version", "role", help: "Always 1, with version and role.")
        }
    }
}
