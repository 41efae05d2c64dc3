/* TLS over the bufferevents of libevent_openssl, as far as Transport/TLS needs it. Many calls of OpenSSL are macros, which Swift cannot call. */
#define _GNU_SOURCE 1
#include <event2/bufferevent.h>
#include <event2/bufferevent_ssl.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdint.h>
#include <time.h>

/* Without it, OpenSSL asks the terminal for the passphrase of a key. */
static inline int tintype_tls_no_passphrase(char *text, int room, int is_writing, void *context) { return -1; }

/* No session is taken up again: it would not be checked by the files of a later reload. Buffers of idle connections are given back. */
static inline SSL_CTX *tintype_tls_context(int is_server) {
    ERR_clear_error();
    SSL_CTX *context = SSL_CTX_new(is_server ? TLS_server_method() : TLS_client_method());
    if (!context) return NULL;
    SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_NO_TICKET | SSL_OP_IGNORE_UNEXPECTED_EOF);
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_num_tickets(context, 0);
    SSL_CTX_set_default_passwd_cb(context, tintype_tls_no_passphrase);
    return context;
}

/* The reason of the last error on this thread; the others are forgotten. NULL where there is none. */
static inline const char *tintype_tls_reason(void) {
    unsigned long code = ERR_peek_last_error();
    ERR_clear_error();
    return code ? ERR_reason_error_string(code) : NULL;
}

static inline int tintype_tls_use_certificate(SSL_CTX *context, const char *path) { return SSL_CTX_use_certificate_chain_file(context, path) == 1; }

/* The key has to be that of the certificate. */
static inline int tintype_tls_use_key(SSL_CTX *context, const char *path) {
    return SSL_CTX_use_PrivateKey_file(context, path, SSL_FILETYPE_PEM) == 1 && SSL_CTX_check_private_key(context) == 1;
}

/* The authorities that vouch for the other side; those of the system where path is NULL. */
static inline int tintype_tls_trust(SSL_CTX *context, const char *path) {
    return (path ? SSL_CTX_load_verify_file(context, path) : SSL_CTX_set_default_verify_paths(context)) == 1;
}

/* Clients learn which authorities are trusted, and choose a certificate by that. */
static inline int tintype_tls_ask_clients(SSL_CTX *context, const char *path, int is_required) {
    STACK_OF(X509_NAME) *names = SSL_load_client_CA_file(path);
    if (!names) return 0;
    SSL_CTX_set_client_CA_list(context, names);
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER | (is_required ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0), NULL);
    return 1;
}

static inline void tintype_tls_ask_server(SSL_CTX *context) { SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL); }

static inline int64_t tintype_tls_seconds(const ASN1_TIME *time) {
    struct tm parts;
    return ASN1_TIME_to_tm(time, &parts) == 1 ? (int64_t)timegm(&parts) : 0;
}

/* The first end among the certificate and those above it in its file, in seconds since 1970; 0 where there is no certificate. */
static inline int64_t tintype_tls_expiry(SSL_CTX *context) {
    X509 *leaf = SSL_CTX_get0_certificate(context);
    if (!leaf) return 0;
    int64_t first = tintype_tls_seconds(X509_get0_notAfter(leaf));
    STACK_OF(X509) *chain = NULL;
    SSL_CTX_get0_chain_certs(context, &chain);
    for (int i = 0; i < sk_X509_num(chain); i++) {
        int64_t end = tintype_tls_seconds(X509_get0_notAfter(sk_X509_value(chain, i)));
        if (end < first) first = end;
    }
    return first;
}

/*
 * A bufferevent whose handshake begins at once, or as soon as it is connected where descriptor is -1. NULL where there is no memory, or the name
 * cannot be checked; the descriptor is still open then.
 * host: the name or address that the server's certificate must have; NULL on the accepting side.
 */
static inline struct bufferevent *tintype_tls_buffer(struct event_base *base, int descriptor, SSL_CTX *context, const char *host) {
    SSL *ssl = SSL_new(context);
    if (!ssl) return NULL;
    /* An empty name would turn the check off. */
    int is_checked = !host || (*host && X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host) == 1);
    if (!is_checked && *host) {
        SSL_set_hostflags(ssl, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
        is_checked = SSL_set_tlsext_host_name(ssl, host) == 1 && SSL_set1_host(ssl, host) == 1;
    }
    ERR_clear_error();
    if (!is_checked) {
        SSL_free(ssl);
        return NULL;
    }
    return bufferevent_openssl_socket_new(base, descriptor, ssl, host ? BUFFEREVENT_SSL_CONNECTING : BUFFEREVENT_SSL_ACCEPTING, BEV_OPT_CLOSE_ON_FREE);
}

/* Tells the other side that nothing more comes. */
static inline void tintype_tls_say_end(struct bufferevent *buffer) {
    SSL *ssl = bufferevent_openssl_get_ssl(buffer);
    if (ssl && SSL_is_init_finished(ssl)) SSL_shutdown(ssl);
    /* An error that is left behind would be taken for one of the next call, on whatever connection. */
    ERR_clear_error();
}

/* Why a connection ended. */
struct tintype_tls_failure {
    /* NULL where OpenSSL knows no reason. */
    const char *reason;
    /* What is wrong with the other side's certificate; NULL where it is not that. */
    const char *flaw;
    /* Whether this side has refused the other side's certificate, or got none. */
    int is_of_certificate;
};

static inline struct tintype_tls_failure tintype_tls_failure(struct bufferevent *buffer) {
    struct tintype_tls_failure failure = {NULL, NULL, 0};
    unsigned long code;
    while ((code = bufferevent_get_openssl_error(buffer)) != 0) {
        if (ERR_GET_LIB(code) != ERR_LIB_SSL) continue;
        int number = ERR_GET_REASON(code);
        if (number == SSL_R_CERTIFICATE_VERIFY_FAILED || number == SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE) failure.is_of_certificate = 1;
        if (!failure.reason) failure.reason = ERR_reason_error_string(code);
    }
    SSL *ssl = bufferevent_openssl_get_ssl(buffer);
    long verdict = ssl ? SSL_get_verify_result(ssl) : X509_V_OK;
    if (failure.is_of_certificate && verdict != X509_V_OK) failure.flaw = X509_verify_cert_error_string(verdict);
    return failure;
}

/*
 * Whether a name of a certificate can be read in one way only: visible ASCII of at most 255 bytes, with a colon in a URI, and with letters, digits,
 * dots, asterisks, hyphens and underscores alone in a DNS name.
 */
static inline int tintype_tls_is_plain(int kind, const unsigned char *text, int count) {
    if (count <= 0 || count > 255) return 0;
    int has_colon = 0;
    for (int at = 0; at < count; at++) {
        unsigned char byte = text[at];
        if (byte <= 0x20 || byte >= 0x7f) return 0;
        if (byte == ':') has_colon = 1;
        int is_of_host = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') || byte == '.' || byte == '*' ||
                         byte == '-' || byte == '_';
        if (kind == GEN_DNS && !is_of_host) return 0;
    }
    return kind == GEN_DNS || has_colon;
}

/*
 * The names of the client's certificate, from its subjectAltName (RFC 5280 §4.2.1.6): its URIs, then its DNS names, each as U or D, the text and a NUL.
 * Names that are not plain are passed over. At most 64 names are read, and those that do not fit into the room are passed over too.
 * Returns the number of bytes; 0 where the certificate has no such name, -1 where there is no certificate.
 */
static inline int tintype_tls_peer_names(struct bufferevent *buffer, char *names, size_t room) {
    SSL *ssl = bufferevent_openssl_get_ssl(buffer);
    X509 *certificate = ssl ? SSL_get0_peer_certificate(ssl) : NULL;
    if (!certificate) return -1;
    GENERAL_NAMES *all = X509_get_ext_d2i(certificate, NID_subject_alt_name, NULL, NULL);
    const int kinds[] = {GEN_URI, GEN_DNS};
    size_t length = 0;
    int written = 0;
    for (int turn = 0; turn < 2; turn++)
        for (int i = 0; i < sk_GENERAL_NAME_num(all) && written < 64; i++) {
            const GENERAL_NAME *found = sk_GENERAL_NAME_value(all, i);
            if (found->type != kinds[turn]) continue;
            const unsigned char *text = ASN1_STRING_get0_data(found->d.ia5);
            int count = ASN1_STRING_length(found->d.ia5);
            if (!tintype_tls_is_plain(found->type, text, count) || (size_t)count + 2 > room - length) continue;
            names[length++] = found->type == GEN_URI ? 'U' : 'D';
            for (int at = 0; at < count; at++) names[length++] = (char)text[at];
            names[length++] = 0;
            written++;
        }
    GENERAL_NAMES_free(all);
    ERR_clear_error();
    return (int)length;
}
