#include "CScripts.h"

#include <string.h>

/* The standard has #embed since 2023, and clang in any mode. */
#pragma clang diagnostic ignored "-Wc23-extensions"

/* A script is text, and has no 0 in it. A program of the build names each as a file that this one depends on. */
static const unsigned char texts[] = {
#embed "../Shared/Queue/Scripts/prelude.lua" suffix(, 0,)
#embed "../Shared/Queue/Scripts/values.lua" suffix(, 0,)
#embed "../Shared/Queue/Scripts/order.lua" suffix(, 0,)
#embed "../Shared/Queue/Scripts/events.lua" suffix(, 0,)
#embed "../Shared/Queue/Scripts/receipts.lua" suffix(, 0,)
#embed "../Shared/Queue/Scripts/fetches.lua" suffix(, 0,)
#embed "../Shared/Queue/Scripts/tags.lua" suffix(, 0,)
#embed "../Shared/Queue/Scripts/settle.lua" suffix(, 0,)
#embed "../Shared/Queue/Scripts/groups.lua" suffix(, 0,)
#embed "../Shared/Queue/Scripts/pages.lua" suffix(, 0,)
#embed "../Shared/Queue/Scripts/submit.lua" suffix(, 0,)
#embed "../Shared/Queue/Scripts/reserve.lua" suffix(, 0,)
#embed "../Shared/Queue/Scripts/cancel.lua" suffix(, 0,)
#embed "../Shared/Queue/Scripts/priority.lua" suffix(, 0,)
#embed "../Shared/Queue/Scripts/pause.lua" suffix(, 0,)
#embed "../Shared/Queue/Scripts/snapshot.lua" suffix(, 0,)
#embed "../Shared/Queue/Scripts/leave.lua" suffix(, 0,)
#embed "../Shared/Queue/Scripts/claim.lua" suffix(, 0,)
#embed "../Shared/Queue/Scripts/progress.lua" suffix(, 0,)
#embed "../Shared/Queue/Scripts/rendition.lua" suffix(, 0,)
#embed "../Shared/Queue/Scripts/finish.lua" suffix(, 0,)
#embed "../Shared/Queue/Scripts/fail.lua" suffix(, 0,)
#embed "../Shared/Queue/Scripts/release.lua" suffix(, 0,)
#embed "../Shared/Queue/Scripts/expire.lua" suffix(, 0,)
#embed "../Shared/Queue/Scripts/throttle.lua" suffix(, 0,)
#embed "../Shared/Queue/Scripts/worker-heartbeat.lua" suffix(, 0,)
#embed "../Shared/Queue/Scripts/worker-drain.lua" suffix(, 0,)
#embed "../Shared/Queue/Scripts/worker-remove.lua" suffix(, 0,)
#embed "../Shared/Queue/Scripts/coordinator-heartbeat.lua" suffix(, 0,)
#embed "../Shared/Queue/Scripts/reap.lua" suffix(, 0,)
#embed "../Shared/Queue/Scripts/abandon.lua" suffix(, 0,)
#embed "../Shared/Queue/Scripts/callback-store.lua" suffix(, 0,)
#embed "../Shared/Queue/Scripts/callbacks-lease.lua" suffix(, 0,)
#embed "../Shared/Queue/Scripts/callback-settle.lua" suffix(, 0,)
#embed "../Shared/Queue/Scripts/info.lua" suffix(, 0,)
#embed "../Shared/Queue/Scripts/configure.lua" suffix(, 0,)
#embed "../Shared/Queue/Scripts/defaults.lua" suffix(, 0,)
#embed "../Shared/Queue/Scripts/share.lua" suffix(, 0,)
#embed "../Shared/Queue/Scripts/lender.lua" suffix(, 0,)
#embed "../Shared/Queue/Scripts/supersede.lua" suffix(, 0,)
#embed "../Shared/Queue/Scripts/queue-empty.lua" suffix(, 0,)
#embed "../Shared/Queue/Scripts/queue-remove.lua" suffix(, 0,)
#embed "../Shared/Queue/Scripts/queue-name-remove.lua" suffix(, 0,)
#embed "../Shared/Queue/Scripts/dead-letters.lua" suffix(, 0,)
#embed "../Shared/Queue/Scripts/dead-letters-remove.lua" suffix(, 0,)
#embed "../Shared/Queue/Scripts/blacklist.lua" suffix(, 0,)
#embed "../Shared/Queue/Scripts/blacklist-remove.lua" suffix(, 0,)
#embed "../Shared/Queue/Scripts/purge.lua" suffix(, 0,)
#embed "../Shared/Queue/Scripts/purge-runs.lua" suffix(, 0,)
#embed "../Shared/Queue/Scripts/purge-mark.lua" suffix(, 0,)
#embed "../Shared/Queue/Scripts/dump.lua" suffix(, 0,)
#embed "../Shared/Queue/Scripts/inspect.lua" suffix(, 0,)
#embed "../Shared/Queue/Scripts/group-start.lua" suffix(, 0,)
#embed "../Shared/Queue/Scripts/group-append.lua" suffix(, 0,)
#embed "../Shared/Queue/Scripts/group-drive.lua" suffix(, 0,)
#embed "../Shared/Queue/Scripts/group-begin.lua" suffix(, 0,)
#embed "../Shared/Queue/Scripts/group-settle.lua" suffix(, 0,)
#embed "../Shared/Queue/Scripts/group-cancel.lua" suffix(, 0,)
#embed "../Shared/Queue/Scripts/group-read.lua" suffix(, 0,)
};

const char *tintype_script(size_t number) {
    const char *text = (const char *) texts;
    const char *end = text + sizeof texts;
    while (number-- > 0 && text < end) text += strlen(text) + 1;
    return text < end ? text : "";
}
