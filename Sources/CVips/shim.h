#include <vips/vips.h>

/* Typed doors to GObject's property calls: Swift cannot call variadic functions, and needs no GValue of its own. */

static inline int tintype_vips_has(VipsOperation *operation, const char *name) {
    return g_object_class_find_property(G_OBJECT_GET_CLASS(operation), name) != NULL;
}

static inline void tintype_vips_put(VipsOperation *operation, const char *name, GValue *value) {
    g_object_set_property(G_OBJECT(operation), name, value);
    g_value_unset(value);
}

static inline void tintype_vips_set_int(VipsOperation *operation, const char *name, int number) {
    GValue value = G_VALUE_INIT;
    g_value_init(&value, G_TYPE_INT);
    g_value_set_int(&value, number);
    tintype_vips_put(operation, name, &value);
}

static inline void tintype_vips_set_double(VipsOperation *operation, const char *name, double number) {
    GValue value = G_VALUE_INIT;
    g_value_init(&value, G_TYPE_DOUBLE);
    g_value_set_double(&value, number);
    tintype_vips_put(operation, name, &value);
}

static inline void tintype_vips_set_bool(VipsOperation *operation, const char *name, int flag) {
    GValue value = G_VALUE_INIT;
    g_value_init(&value, G_TYPE_BOOLEAN);
    g_value_set_boolean(&value, flag);
    tintype_vips_put(operation, name, &value);
}

static inline void tintype_vips_set_string(VipsOperation *operation, const char *name, const char *text) {
    GValue value = G_VALUE_INIT;
    g_value_init(&value, G_TYPE_STRING);
    g_value_set_string(&value, text);
    tintype_vips_put(operation, name, &value);
}

static inline void tintype_vips_set_image(VipsOperation *operation, const char *name, VipsImage *image) {
    GValue value = G_VALUE_INIT;
    g_value_init(&value, VIPS_TYPE_IMAGE);
    g_value_set_object(&value, image);
    tintype_vips_put(operation, name, &value);
}

/* The bytes are not copied: they must outlive every image made from them. */
static inline void tintype_vips_set_buffer(VipsOperation *operation, const char *name, const void *bytes, size_t length) {
    GValue value = G_VALUE_INIT;
    g_value_init(&value, VIPS_TYPE_BLOB);
    VipsBlob *blob = vips_blob_new(NULL, bytes, length);
    g_value_take_boxed(&value, blob);
    tintype_vips_put(operation, name, &value);
}

/* The operation, and with it every image made from the bytes, holds a reference to them. */
static inline void tintype_vips_set_area(VipsOperation *operation, const char *name, VipsArea *area) {
    GValue value = G_VALUE_INIT;
    g_value_init(&value, VIPS_TYPE_BLOB);
    g_value_set_boxed(&value, area);
    tintype_vips_put(operation, name, &value);
}

static inline void tintype_vips_set_doubles(VipsOperation *operation, const char *name, const double *numbers, int count) {
    GValue value = G_VALUE_INIT;
    g_value_init(&value, VIPS_TYPE_ARRAY_DOUBLE);
    g_value_take_boxed(&value, vips_array_double_new(numbers, count));
    tintype_vips_put(operation, name, &value);
}

static inline void tintype_vips_set_ints(VipsOperation *operation, const char *name, const int *numbers, int count) {
    GValue value = G_VALUE_INIT;
    g_value_init(&value, VIPS_TYPE_ARRAY_INT);
    g_value_take_boxed(&value, vips_array_int_new(numbers, count));
    tintype_vips_put(operation, name, &value);
}

/* An unknown name leaves the operation its own way. */
static inline void tintype_vips_set_interpolate(VipsOperation *operation, const char *nickname) {
    VipsInterpolate *interpolate = vips_interpolate_new(nickname);
    if (interpolate == NULL) return;
    GValue value = G_VALUE_INIT;
    g_value_init(&value, VIPS_TYPE_INTERPOLATE);
    g_value_take_object(&value, interpolate);
    tintype_vips_put(operation, "interpolate", &value);
}

static inline void tintype_vips_set_images(VipsOperation *operation, const char *name, VipsImage **images, int count) {
    GValue value = G_VALUE_INIT;
    g_value_init(&value, VIPS_TYPE_ARRAY_IMAGE);
    g_value_take_boxed(&value, vips_array_image_new(images, count));
    tintype_vips_put(operation, name, &value);
}

/* An output image, with one reference for the caller; NULL if the operation has none of that name. */
static inline VipsImage *tintype_vips_get_image(VipsOperation *operation, const char *name) {
    GValue value = G_VALUE_INIT;
    g_value_init(&value, VIPS_TYPE_IMAGE);
    g_object_get_property(G_OBJECT(operation), name, &value);
    VipsImage *image = (VipsImage *)g_value_dup_object(&value);
    g_value_unset(&value);
    return image;
}

/* An output buffer, with one reference for the caller (vips_area_unref); NULL if there is none. */
static inline VipsArea *tintype_vips_get_area(VipsOperation *operation, const char *name) {
    GValue value = G_VALUE_INIT;
    g_value_init(&value, VIPS_TYPE_BLOB);
    g_object_get_property(G_OBJECT(operation), name, &value);
    VipsArea *area = (VipsArea *)g_value_dup_boxed(&value);
    g_value_unset(&value);
    return area;
}

static inline int tintype_vips_get_int(VipsOperation *operation, const char *name) {
    GValue value = G_VALUE_INIT;
    g_value_init(&value, G_TYPE_INT);
    g_object_get_property(G_OBJECT(operation), name, &value);
    int number = g_value_get_int(&value);
    g_value_unset(&value);
    return number;
}

/* An output array of numbers, for the caller to g_free; NULL if there is none. */
static inline double *tintype_vips_get_doubles(VipsOperation *operation, const char *name, int *count) {
    GValue value = G_VALUE_INIT;
    g_value_init(&value, VIPS_TYPE_ARRAY_DOUBLE);
    g_object_get_property(G_OBJECT(operation), name, &value);
    double *copy = NULL;
    *count = 0;
    if (g_value_get_boxed(&value) != NULL) {
        double *numbers = vips_value_get_array_double(&value, count);
        copy = (double *)g_malloc(sizeof(double) * (size_t)(*count > 0 ? *count : 1));
        for (int i = 0; i < *count; i++) copy[i] = numbers[i];
    }
    g_value_unset(&value);
    return copy;
}

static inline void tintype_vips_end(VipsOperation *operation) {
    vips_object_unref_outputs(VIPS_OBJECT(operation));
    g_object_unref(operation);
}

typedef void (*TintypeEval)(VipsImage *image, VipsProgress *progress, void *context);

static inline void tintype_vips_on_eval(VipsImage *image, TintypeEval body, void *context, void (*release)(void *, GClosure *)) {
    /* A source goes on to tell the first who asked of it; whoever is made of it has that from it, and would never be told. */
    vips_image_set_progress(image, FALSE);
    vips_image_set_progress(image, TRUE);
    g_signal_connect_data(image, "eval", G_CALLBACK(body), context, release, 0);
}

static inline void tintype_vips_silence_log(const gchar *domain, GLogLevelFlags level, const gchar *text, gpointer context) {
    (void)domain; (void)level; (void)text; (void)context;
}

/* Warnings of libvips and of what draws text for it tell about the picture, never about us: what matters comes back as an error. */
static inline void tintype_vips_silence(void) {
    GLogLevelFlags levels = (GLogLevelFlags)(G_LOG_LEVEL_WARNING | G_LOG_LEVEL_INFO | G_LOG_LEVEL_DEBUG | G_LOG_LEVEL_MESSAGE);
    g_log_set_handler("VIPS", levels, tintype_vips_silence_log, NULL);
    g_log_set_handler("Pango", levels, tintype_vips_silence_log, NULL);
}
