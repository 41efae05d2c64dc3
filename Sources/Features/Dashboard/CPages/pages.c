#include "CPages.h"

#include <string.h>

/* The standard has #embed since 2023, and clang in any mode. */
#pragma clang diagnostic ignored "-Wc23-extensions"

/* A page is text, and has no 0 in it. A program of the build names each as a file that this one depends on. */
static const unsigned char texts[] = {
#embed "../Files/index.html" suffix(, 0,)
#embed "../Files/page.css" suffix(, 0,)
#embed "../Files/api.js" suffix(, 0,)
#embed "../Files/blur.js" suffix(, 0,)
#embed "../Files/chart.js" suffix(, 0,)
#embed "../Files/dom.js" suffix(, 0,)
#embed "../Files/failures.js" suffix(, 0,)
#embed "../Files/live.js" suffix(, 0,)
#embed "../Files/main.js" suffix(, 0,)
#embed "../Files/overview.js" suffix(, 0,)
#embed "../Files/playground.js" suffix(, 0,)
#embed "../Files/queues.js" suffix(, 0,)
#embed "../Files/receipt.js" suffix(, 0,)
#embed "../Files/request.js" suffix(, 0,)
#embed "../Files/room.js" suffix(, 0,)
#embed "../Files/search.js" suffix(, 0,)
#embed "../Files/series.js" suffix(, 0,)
#embed "../Files/sheet.js" suffix(, 0,)
#embed "../Files/table.js" suffix(, 0,)
#embed "../Files/text.js" suffix(, 0,)
#embed "../Files/workers.js" suffix(, 0,)
};

const char *tintype_page_file(size_t number) {
    const char *text = (const char *) texts;
    const char *end = text + sizeof texts;
    while (number-- > 0 && text < end) text += strlen(text) + 1;
    return text < end ? text : "";
}
