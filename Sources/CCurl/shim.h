#define _GNU_SOURCE 1
#include <curl/curl.h>

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
