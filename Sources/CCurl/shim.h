#define _GNU_SOURCE 1
#include <curl/curl.h>
#include <openssl/ssl.h>
#include <string.h>

/* curl's setters and getters are variadic and Swift cannot call those: one typed door for each kind of argument. */
static inline CURLcode tintype_curl_set_long(CURL *handle, CURLoption option, long value) { return curl_easy_setopt(handle, option, value); }
static inline CURLcode tintype_curl_set_offset(CURL *handle, CURLoption option, curl_off_t value) { return curl_easy_setopt(handle, option, value); }
static inline CURLcode tintype_curl_set_string(CURL *handle, CURLoption option, const char *value) { return curl_easy_setopt(handle, option, value); }
static inline CURLcode tintype_curl_set_pointer(CURL *handle, CURLoption option, void *value) { return curl_easy_setopt(handle, option, value); }
static inline CURLcode tintype_curl_set_list(CURL *handle, CURLoption option, struct curl_slist *value) { return curl_easy_setopt(handle, option, value); }
static inline CURLcode tintype_curl_get_long(CURL *handle, CURLINFO info, long *value) { return curl_easy_getinfo(handle, info, value); }
static inline CURLcode tintype_curl_get_offset(CURL *handle, CURLINFO info, curl_off_t *value) { return curl_easy_getinfo(handle, info, value); }
static inline CURLcode tintype_curl_get_string(CURL *handle, CURLINFO info, const char **value) { return curl_easy_getinfo(handle, info, value); }
static inline CURLcode tintype_curl_get_list(CURL *handle, CURLINFO info, struct curl_slist **value) { return curl_easy_getinfo(handle, info, value); }
static inline CURLcode tintype_curl_get_pointer(CURL *handle, CURLINFO info, void **value) { return curl_easy_getinfo(handle, info, value); }

typedef size_t (*tintype_curl_data)(char *bytes, size_t size, size_t count, void *context);
typedef curl_socket_t (*tintype_curl_open_socket)(void *context, curlsocktype purpose, struct curl_sockaddr *address);
static inline CURLcode tintype_curl_set_data(CURL *handle, CURLoption option, tintype_curl_data callback) { return curl_easy_setopt(handle, option, callback); }
typedef int (*tintype_curl_progress)(void *context, curl_off_t expected, curl_off_t received, curl_off_t to_send, curl_off_t sent);
static inline CURLcode tintype_curl_set_progress(CURL *handle, tintype_curl_progress callback) { return curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, callback); }
static inline CURLcode tintype_curl_set_open_socket(CURL *handle, tintype_curl_open_socket callback) { return curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, callback); }

static inline CURLMcode tintype_multi_set_long(CURLM *multi, CURLMoption option, long value) { return curl_multi_setopt(multi, option, value); }
static inline CURLMcode tintype_multi_set_pointer(CURLM *multi, CURLMoption option, void *value) { return curl_multi_setopt(multi, option, value); }
static inline CURLMcode tintype_multi_set_socket(CURLM *multi, int (*callback)(CURL *, curl_socket_t, int, void *, void *)) { return curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, callback); }
static inline CURLMcode tintype_multi_set_timer(CURLM *multi, int (*callback)(CURLM *, long, void *)) { return curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, callback); }
/* CURLMsg holds a union that Swift reads poorly. */
static inline CURLcode tintype_message_result(const CURLMsg *message) { return message->data.result; }

/* Called before each request goes out, on a connection that is new or was used before. */
typedef int (*tintype_curl_before_request)(void *context, char *remote, char *local, int remote_port, int local_port);
static inline CURLcode tintype_curl_set_before_request(CURL *handle, tintype_curl_before_request callback) { return curl_easy_setopt(handle, CURLOPT_PREREQFUNCTION, callback); }

/* Whether a certificate has one of the public keys, of which `pins` holds the SHA-256 of each, one behind the other. */
static inline int tintype_curl_has_key(X509 *certificate, const unsigned char *pins, size_t count) {
    unsigned char *key = NULL, digest[32];
    int length = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate), &key), found = 0;
    if (length <= 0) return 0;
    if (EVP_Digest(key, length, digest, NULL, EVP_sha256(), NULL) == 1)
        for (size_t i = 0; i < count && !found; i++) found = memcmp(digest, pins + 32 * i, 32) == 0;
    OPENSSL_free(key);
    return found;
}

/* Whether the server's certificate, or one that vouches for it, has one of these keys. What else the server sends proves nothing: the chain is
   built anew from it and from the authorities of the connection, since OpenSSL keeps none where a session was taken up again. */
static inline int tintype_curl_is_pinned(CURL *handle, const unsigned char *pins, size_t count) {
    struct curl_tlssessioninfo *session = NULL;
    if (curl_easy_getinfo(handle, CURLINFO_TLS_SSL_PTR, &session) != CURLE_OK || !session) return 0;
    if (session->backend != CURLSSLBACKEND_OPENSSL || !session->internals) return 0;
    SSL *ssl = session->internals;
    X509 *leaf = SSL_get1_peer_certificate(ssl);
    if (!leaf) return 0;
    int found = tintype_curl_has_key(leaf, pins, count);
    X509_STORE_CTX *context = found ? NULL : X509_STORE_CTX_new();
    if (context) {
        X509_STORE *authorities = SSL_CTX_get_cert_store(SSL_get_SSL_CTX(ssl));
        if (X509_STORE_CTX_init(context, authorities, leaf, SSL_get_peer_cert_chain(ssl)) == 1 && X509_STORE_CTX_set_default(context, "ssl_server") == 1 &&
            X509_verify_cert(context) == 1) {
            STACK_OF(X509) *chain = X509_STORE_CTX_get0_chain(context);
            for (int i = 0; i < sk_X509_num(chain) && !found; i++) found = tintype_curl_has_key(sk_X509_value(chain, i), pins, count);
        }
        X509_STORE_CTX_free(context);
    }
    X509_free(leaf);
    return found;
}
