import TintypeTransport

/// Every method of this build. The dispatcher refuses to start unless they are exactly the described ones.
enum MethodTable {
    @Loop
    static func all(_ services: Services) -> [any RPCMethod] {
        [
            ImageLoad(services: services), ImageSubmit(services: services), ImageProbe(services: services), RequestExplain(services: services),
            ReceiptGet(services: services), ReceiptCancel(services: services), ReceiptSetPriority(services: services),
            ReceiptPause(services: services), ReceiptResume(services: services),
            PrefetchStart(services: services), BatchStart(services: services), ChainStart(services: services), ChainAppend(services: services),
            GroupGet(services: services), GroupCancel(services: services),
            QueueGet(services: services), QueueList(services: services), QueueConfigure(services: services),
            QueuePause(services: services), QueueResume(services: services), QueueCancelAll(services: services),
            DeadList(services: services), DeadRetry(services: services), DeadRemove(services: services),
            WorkersList(services: services), WorkersQuiet(services: services), FormatsList(services: services),
            CacheContains(services: services), CacheGet(services: services), CachePut(services: services), CacheSetMetadata(services: services),
            CacheRemove(services: services), CachePurge(services: services),
            CachePin(services: services), CacheUnpin(services: services),
            CacheTrim(services: services), CacheClear(services: services), CacheStats(services: services),
            BlacklistList(services: services), BlacklistRemove(services: services), BlacklistClear(services: services),
            EventsSubscribe(services: services), EventsUnsubscribe(), ActivityGet(services: services), ActivityBegin(services: services),
            ActivityEnd(services: services),
            SessionAuthenticate(services: services), SystemPing(), SystemInfo(services: services), SystemValidate(services: services),
            StatsSeries(services: services),
            RunsList(services: services), HostsList(services: services), PicturesList(services: services), FailuresList(services: services),
            FailuresRetry(services: services), PicturesGet(services: services), PicturesURL(services: services),
            RPCDiscover(), CancelRequest(),
        ]
    }
}
