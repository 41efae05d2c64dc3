#pragma once

#include <stddef.h>

/*
 * The files of Shared/Queue/Scripts: `prelude`, then those of ScriptLibraryFile and of QueueScript, in their order. C embeds a file in no time, where
 * the Swift compiler takes 25 s for an array of all bytes.
 */
const char *tintype_script(size_t number);
