#pragma once

#include <stddef.h>

/* The files of Dashboard/Files, in the order of PageFile.names. */
const char *tintype_page_file(size_t number);
