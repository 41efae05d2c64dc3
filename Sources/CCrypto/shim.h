#define _GNU_SOURCE 1
#include <openssl/evp.h>
#include <openssl/hmac.h>
