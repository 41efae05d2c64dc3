#define _GNU_SOURCE 1
#include <vips/vips.h>
