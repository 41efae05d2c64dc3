/* TLS over libevent's OpenSSL bufferevents, as far as tests need it. A context is an SSL_CTX, a buffer a struct bufferevent. */
#pragma once

/* NULL where a file cannot be read. */
void *test_tls_server(const char *certificate, const char *key);
void *test_tls_client(const char *authority);
void test_tls_free(void *context);

/* host: the name or address that the other side is to prove; NULL on the side that accepts. */
void *test_tls_buffer(void *base, int descriptor, void *context, const char *host);
void test_tls_say_end(void *buffer);

/* The reason of OpenSSL; NULL where it has none. */
const char *test_tls_failure(void *buffer);
