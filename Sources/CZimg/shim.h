#include <zimg.h>

/* Doors for one plane of 8 bits: zimg's own structures take a line a member, and their version is a macro that Swift cannot see. */

/*
 * Of a plane, the region (to fractions of a sample) becomes a plane of another size; NULL if zimg cannot. Not threaded.
 */
static inline zimg_filter_graph *tintype_zimg_graph(unsigned width, unsigned height, double left, double top, double region_width,
                                                    double region_height, unsigned new_width, unsigned new_height,
                                                    zimg_resample_filter_e filter, double a, double b) {
    zimg_image_format from, to;
    zimg_image_format_default(&from, ZIMG_API_VERSION);
    zimg_image_format_default(&to, ZIMG_API_VERSION);
    from.width = width;
    from.height = height;
    to.width = new_width;
    to.height = new_height;
    from.pixel_type = to.pixel_type = ZIMG_PIXEL_BYTE;
    from.pixel_range = to.pixel_range = ZIMG_RANGE_FULL;
    from.active_region.left = left;
    from.active_region.top = top;
    from.active_region.width = region_width;
    from.active_region.height = region_height;
    zimg_graph_builder_params parameters;
    zimg_graph_builder_params_default(&parameters, ZIMG_API_VERSION);
    parameters.resample_filter = filter;
    parameters.filter_param_a = a;
    parameters.filter_param_b = b;
    /* Not ZIMG_CPU_AUTO_64B: zimg 3.0.4's code for AVX-512 takes whole columns from eight samples further left at ratios a little above 2
       (vapoursynth#1063). */
    parameters.cpu_type = ZIMG_CPU_AUTO;
    return zimg_filter_graph_build(&from, &to, &parameters);
}

/* Addresses and strides are multiples of 64. Returns 0 when done. */
static inline int tintype_zimg_run(const zimg_filter_graph *graph, const void *from, ptrdiff_t from_stride, void *to, ptrdiff_t to_stride,
                                   void *scratch) {
    zimg_image_buffer_const source = {ZIMG_API_VERSION};
    zimg_image_buffer result = {ZIMG_API_VERSION};
    source.plane[0].data = from;
    source.plane[0].stride = from_stride;
    source.plane[0].mask = ZIMG_BUFFER_MAX;
    result.plane[0].data = to;
    result.plane[0].stride = to_stride;
    result.plane[0].mask = ZIMG_BUFFER_MAX;
    return zimg_filter_graph_process(graph, &source, &result, scratch, NULL, NULL, NULL, NULL);
}
