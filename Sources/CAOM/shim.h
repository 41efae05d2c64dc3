#include <aom/aom_encoder.h>
#include <aom/aomcx.h>

// A macro that fills in the version of the headers.
static inline aom_codec_err_t tintype_aom_begin(aom_codec_ctx_t *codec, const aom_codec_enc_cfg_t *settings, aom_codec_flags_t flags) {
    return aom_codec_enc_init(codec, aom_codec_av1_cx(), settings, flags);
}

// A variadic function, which Swift does not call.
static inline aom_codec_err_t tintype_aom_set(aom_codec_ctx_t *codec, int control, int value) { return aom_codec_control(codec, control, value); }
