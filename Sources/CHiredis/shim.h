#define _GNU_SOURCE 1
#include <hiredis/hiredis.h>
