#include "CTestTLS.h"

#include <event2/bufferevent.h>
#include <event2/bufferevent_ssl.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

void *test_tls_server(const char *certificate, const char *key) {
    SSL_CTX *context = SSL_CTX_new(TLS_server_method());
    if (context && SSL_CTX_use_certificate_chain_file(context, certificate) == 1 && SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM) == 1) {
        SSL_CTX_set_num_tickets(context, 0);
        return context;
    }
    SSL_CTX_free(context);
    return NULL;
}

void *test_tls_client(const char *authority) {
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    if (context && SSL_CTX_load_verify_locations(context, authority, NULL) == 1) {
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
        return context;
    }
    SSL_CTX_free(context);
    return NULL;
}

void test_tls_free(void *context) { SSL_CTX_free(context); }

void *test_tls_buffer(void *base, int descriptor, void *context, const char *host) {
    SSL *ssl = SSL_new(context);
    if (!ssl) return NULL;
    if (host && X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host) != 1) {
        SSL_set_tlsext_host_name(ssl, host);
        SSL_set1_host(ssl, host);
    }
    ERR_clear_error();
    enum bufferevent_ssl_state state = host ? BUFFEREVENT_SSL_CONNECTING : BUFFEREVENT_SSL_ACCEPTING;
    return bufferevent_openssl_socket_new(base, descriptor, ssl, state, BEV_OPT_CLOSE_ON_FREE);
}

void test_tls_say_end(void *buffer) {
    SSL *ssl = bufferevent_openssl_get_ssl(buffer);
    if (ssl && SSL_is_init_finished(ssl)) SSL_shutdown(ssl);
    /* An error that is left behind would be taken for one of the next call, on whatever connection. */
    ERR_clear_error();
}

const char *test_tls_failure(void *buffer) {
    unsigned long code = bufferevent_get_openssl_error(buffer);
    return code ? ERR_reason_error_string(code) : NULL;
}
