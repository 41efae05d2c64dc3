#include "CJPEG.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>
#include <jerror.h>

#if JPEG_LIB_VERSION >= 70
#define scaled_height(component) ((component)->DCT_v_scaled_size)
#define scaled_width(component) ((component)->DCT_h_scaled_size)
#define scaled_rows(codec) ((codec)->min_DCT_v_scaled_size)
#else
#define scaled_height(component) ((component)->DCT_scaled_size)
#define scaled_width(component) ((component)->DCT_scaled_size)
#define scaled_rows(codec) ((codec)->min_DCT_scaled_size)
#endif

/* The most rows of one component in a row of blocks: four blocks high, eight rows each. */
#define MOST_ROWS 32

/* How an error leaves libjpeg. */
typedef struct {
    struct jpeg_error_mgr manager;
    jmp_buf way_out;
    int status;
    long most_warnings;
} Errors;

typedef struct {
    struct jpeg_progress_mgr manager;
    tintype_jpeg_watch watch;
    void *context;
    double fraction;
} Progress;

typedef struct {
    struct jpeg_decompress_struct codec;
    struct jpeg_source_mgr source;
    Errors errors;
    Progress progress;
    int is_whole;
    const uint8_t *bytes;
    /* Those not yet begun. */
    const tintype_jpeg_part *parts;
    size_t part_count;
    JOCTET end[2];
} Reader;

typedef struct {
    struct jpeg_compress_struct codec;
    struct jpeg_destination_mgr destination;
    Errors errors;
    Progress progress;
    uint8_t *result;
    size_t count;
} Writer;

static void leave(j_common_ptr codec) {
    Errors *errors = (Errors *)codec->err;
    if (errors->status == TINTYPE_JPEG_DONE) errors->status = TINTYPE_JPEG_REFUSED;
    longjmp(errors->way_out, 1);
}

static void remark(j_common_ptr codec, int level) {
    if (level >= 0) return;
    if (++codec->err->num_warnings > ((Errors *)codec->err)->most_warnings) leave(codec);
}

static void say_nothing(j_common_ptr codec) { (void)codec; }

static struct jpeg_error_mgr *errors_of(Errors *errors, long most_warnings) {
    jpeg_std_error(&errors->manager);
    errors->manager.error_exit = leave;
    errors->manager.emit_message = remark;
    errors->manager.output_message = say_nothing;
    errors->most_warnings = most_warnings;
    return &errors->manager;
}

/* Called by libjpeg itself too, while it reads the scans of a progressive picture, of which nobody knows how many there are. */
static void look(j_common_ptr codec) {
    Progress *progress = (Progress *)codec->progress;
    if (progress->watch == NULL || progress->watch(progress->context, progress->fraction)) return;
    ((Errors *)codec->err)->status = TINTYPE_JPEG_STOPPED;
    leave(codec);
}

static struct jpeg_progress_mgr *progress_of(Progress *progress, tintype_jpeg_watch watch, void *context) {
    progress->manager.progress_monitor = look;
    progress->watch = watch;
    progress->context = context;
    return &progress->manager;
}

/* MARK: reading */

static void begin(j_decompress_ptr codec) { (void)codec; }
static void end(j_decompress_ptr codec) { (void)codec; }

/* Begins the next part; 0 if there is none. */
static int turn_to_next_part(Reader *reader) {
    if (reader->part_count == 0) return 0;
    reader->source.next_input_byte = reader->bytes + reader->parts->start;
    reader->source.bytes_in_buffer = reader->parts->count;
    reader->parts++;
    reader->part_count--;
    return 1;
}

static boolean fill(j_decompress_ptr codec) {
    Reader *reader = (Reader *)codec;
    if (turn_to_next_part(reader)) return TRUE;
    if (reader->is_whole) ERREXIT(codec, JERR_INPUT_EOF);
    WARNMS(codec, JWRN_JPEG_EOF);
    reader->end[0] = 0xff;
    reader->end[1] = JPEG_EOI;
    codec->src->next_input_byte = reader->end;
    codec->src->bytes_in_buffer = 2;
    return TRUE;
}

static void skip(j_decompress_ptr codec, long count) {
    while (count > 0) {
        size_t step = (size_t)count < codec->src->bytes_in_buffer ? (size_t)count : codec->src->bytes_in_buffer;
        codec->src->next_input_byte += step;
        codec->src->bytes_in_buffer -= step;
        count -= (long)step;
        if (count > 0 && !turn_to_next_part((Reader *)codec)) return;
    }
}

static Reader *new_reader(const uint8_t *bytes, const tintype_jpeg_part *parts, size_t part_count, long most_warnings, int is_whole) {
    Reader *reader = calloc(1, sizeof(Reader));
    if (reader == NULL) return NULL;
    reader->codec.err = errors_of(&reader->errors, most_warnings);
    reader->is_whole = is_whole;
    reader->source.init_source = begin;
    reader->source.fill_input_buffer = fill;
    reader->source.skip_input_data = skip;
    reader->source.resync_to_restart = jpeg_resync_to_restart;
    reader->source.term_source = end;
    reader->bytes = bytes;
    reader->parts = parts;
    reader->part_count = part_count;
    turn_to_next_part(reader);
    return reader;
}

/* Only where errors may already jump. */
static void open_reader(Reader *reader) {
    jpeg_create_decompress(&reader->codec);
    reader->codec.src = &reader->source;
    jpeg_read_header(&reader->codec, TRUE);
}

static int close_reader(Reader *reader) {
    int status = reader->errors.status;
    jpeg_destroy_decompress(&reader->codec);
    free(reader);
    return status;
}

static int is_planar(const struct jpeg_decompress_struct *codec) {
    if (codec->data_precision != 8) return 0;
    if (codec->jpeg_color_space == JCS_GRAYSCALE) return codec->num_components == 1;
    return codec->jpeg_color_space == JCS_YCbCr && codec->num_components == 3;
}

int tintype_jpeg_read_header(const uint8_t *bytes, size_t count, tintype_jpeg_header *header) {
    tintype_jpeg_part whole = {0, count};
    Reader *reader = new_reader(bytes, &whole, 1, 100, 1);
    if (reader == NULL) return TINTYPE_JPEG_REFUSED;
    if (setjmp(reader->errors.way_out)) return close_reader(reader);
    open_reader(reader);
    memset(header, 0, sizeof(*header));
    header->width = (int)reader->codec.image_width;
    header->height = (int)reader->codec.image_height;
    if (is_planar(&reader->codec)) header->components = reader->codec.num_components;
    for (int i = 0; i < header->components; i++) {
        header->horizontal[i] = reader->codec.comp_info[i].h_samp_factor;
        header->vertical[i] = reader->codec.comp_info[i].v_samp_factor;
    }
    return close_reader(reader);
}

/* Whether libjpeg will make of the components what the caller has planned. */
static int is_as_planned(Reader *reader, const tintype_jpeg_plane *planes, int components) {
    if (!is_planar(&reader->codec) || reader->codec.num_components != components) return 0;
    for (int i = 0; i < components; i++) {
        jpeg_component_info *component = &reader->codec.comp_info[i];
        const tintype_jpeg_plane *plane = &planes[i];
        if ((int)component->downsampled_width != plane->whole_width || (int)component->downsampled_height != plane->whole_height) return 0;
        if (plane->x < 0 || plane->y < 0 || plane->width < 1 || plane->height < 1) return 0;
        if (plane->x > plane->whole_width - plane->width || plane->y > plane->whole_height - plane->height) return 0;
        if (component->v_samp_factor * scaled_height(component) > MOST_ROWS || plane->stride < (size_t)plane->width) return 0;
    }
    return 1;
}

/* Rows go straight to their plane where they fit, else through `spare`. */
static void read_planes(Reader *reader, const tintype_jpeg_plane *planes, int components) {
    j_decompress_ptr codec = &reader->codec;
    JSAMPARRAY spare[3];
    JSAMPROW rows[3][MOST_ROWS];
    JSAMPARRAY arrays[3];
    int heights[3], are_direct[3];
    int last = 0;
    for (int i = 0; i < components; i++) {
        jpeg_component_info *component = &codec->comp_info[i];
        JDIMENSION padded = component->width_in_blocks * (JDIMENSION)scaled_width(component);
        heights[i] = component->v_samp_factor * scaled_height(component);
        spare[i] = codec->mem->alloc_sarray((j_common_ptr)codec, JPOOL_IMAGE, padded, (JDIMENSION)heights[i]);
        are_direct[i] = planes[i].x == 0 && planes[i].stride >= padded;
        arrays[i] = rows[i];
        int end = (planes[i].y + planes[i].height + heights[i] - 1) / heights[i];
        if (end > last) last = end;
    }
    JDIMENSION lines = (JDIMENSION)(codec->max_v_samp_factor * scaled_rows(codec));
    for (int block = 0; block < last && codec->output_scanline < codec->output_height; block++) {
        for (int i = 0; i < components; i++) {
            for (int row = 0; row < heights[i]; row++) {
                int y = block * heights[i] + row - planes[i].y;
                int is_direct = are_direct[i] && y >= 0 && y < planes[i].height;
                rows[i][row] = is_direct ? planes[i].data + (size_t)y * planes[i].stride : spare[i][row];
            }
        }
        jpeg_read_raw_data(codec, arrays, lines);
        for (int i = 0; i < components; i++) {
            for (int row = 0; row < heights[i] && !are_direct[i]; row++) {
                int y = block * heights[i] + row - planes[i].y;
                if (y < 0 || y >= planes[i].height) continue;
                memcpy(planes[i].data + (size_t)y * planes[i].stride, spare[i][row] + planes[i].x, (size_t)planes[i].width);
            }
        }
        reader->progress.fraction = (double)(block + 1) / last;
        look((j_common_ptr)codec);
    }
}

int tintype_jpeg_decode(const uint8_t *bytes, const tintype_jpeg_part *parts, size_t part_count, int shrink, const tintype_jpeg_plane *planes,
                        int components, long most_warnings, int is_whole, tintype_jpeg_watch watch, void *context) {
    Reader *reader = new_reader(bytes, parts, part_count, most_warnings, is_whole);
    if (reader == NULL) return TINTYPE_JPEG_REFUSED;
    if (setjmp(reader->errors.way_out)) return close_reader(reader);
    open_reader(reader);
    /* Without the scans of detail, libjpeg would guess the detail. */
    if (part_count > 1) reader->codec.do_block_smoothing = FALSE;
    reader->codec.progress = progress_of(&reader->progress, watch, context);
    reader->codec.scale_num = 1;
    reader->codec.scale_denom = (unsigned)shrink;
    reader->codec.out_color_space = reader->codec.jpeg_color_space;
    reader->codec.raw_data_out = TRUE;
    jpeg_calc_output_dimensions(&reader->codec);
    if (!is_as_planned(reader, planes, components)) {
        reader->errors.status = TINTYPE_JPEG_REFUSED;
        return close_reader(reader);
    }
    jpeg_start_decompress(&reader->codec);
    read_planes(reader, planes, components);
    return close_reader(reader);
}

/* MARK: writing */

/* libjpeg's own destination in memory loses its bytes when an error jumps out of it. */
static void make_room(j_compress_ptr codec) {
    Writer *writer = (Writer *)codec;
    size_t more = writer->count == 0 ? 1 << 16 : writer->count;
    uint8_t *larger = realloc(writer->result, writer->count + more);
    if (larger == NULL) ERREXIT1(codec, JERR_OUT_OF_MEMORY, 0);
    writer->result = larger;
    writer->destination.next_output_byte = larger + writer->count;
    writer->destination.free_in_buffer = more;
    writer->count += more;
}

static boolean make_more_room(j_compress_ptr codec) {
    make_room(codec);
    return TRUE;
}

static void finish(j_compress_ptr codec) { ((Writer *)codec)->count -= codec->dest->free_in_buffer; }

static int close_writer(Writer *writer) {
    int status = writer->errors.status;
    jpeg_destroy_compress(&writer->codec);
    free(writer->result);
    free(writer);
    return status;
}

static size_t padded_width(const tintype_jpeg_plane *plane, int unit) { return ((size_t)plane->whole_width + unit - 1) / unit * unit; }

/* The encoder reads whole blocks: the last sample of a line is repeated. */
static void pad(const tintype_jpeg_plane *plane, int unit) {
    size_t padding = padded_width(plane, unit) - (size_t)plane->whole_width;
    if (padding == 0) return;
    for (int y = 0; y < plane->whole_height; y++) {
        uint8_t *end = plane->data + (size_t)y * plane->stride + plane->whole_width;
        memset(end, end[-1], padding);
    }
}

static void write_planes(Writer *writer, const tintype_jpeg_plane *planes, int components) {
    j_compress_ptr codec = &writer->codec;
    JSAMPROW rows[3][2 * DCTSIZE];
    JSAMPARRAY arrays[3] = {rows[0], rows[1], rows[2]};
    int lines = components == 1 ? DCTSIZE : 2 * DCTSIZE;
    while (codec->next_scanline < codec->image_height) {
        for (int i = 0; i < components; i++) {
            int height = i == 0 ? lines : DCTSIZE;
            int first = (int)codec->next_scanline / lines * height;
            for (int row = 0; row < height; row++) {
                int y = first + row < planes[i].whole_height ? first + row : planes[i].whole_height - 1;
                rows[i][row] = planes[i].data + (size_t)y * planes[i].stride;
            }
        }
        jpeg_write_raw_data(codec, arrays, (JDIMENSION)lines);
        writer->progress.fraction = (double)codec->next_scanline / codec->image_height;
        look((j_common_ptr)codec);
    }
}

int tintype_jpeg_encode(const tintype_jpeg_plane *planes, int components, int quality, int is_progressive, tintype_jpeg_density density,
                        tintype_jpeg_watch watch, void *context, uint8_t **result, size_t *count) {
    for (int i = 0; i < components; i++) {
        int unit = i == 0 && components == 3 ? 2 * DCTSIZE : DCTSIZE;
        if (planes[i].stride < padded_width(&planes[i], unit)) return TINTYPE_JPEG_REFUSED;
        pad(&planes[i], unit);
    }
    Writer *writer = calloc(1, sizeof(Writer));
    if (writer == NULL) return TINTYPE_JPEG_REFUSED;
    writer->codec.err = errors_of(&writer->errors, 0);
    if (setjmp(writer->errors.way_out)) return close_writer(writer);
    jpeg_create_compress(&writer->codec);
    writer->codec.progress = progress_of(&writer->progress, watch, context);
    writer->destination.init_destination = make_room;
    writer->destination.empty_output_buffer = make_more_room;
    writer->destination.term_destination = finish;
    writer->codec.dest = &writer->destination;
    writer->codec.image_width = (JDIMENSION)planes[0].whole_width;
    writer->codec.image_height = (JDIMENSION)planes[0].whole_height;
    writer->codec.input_components = components;
    writer->codec.in_color_space = components == 1 ? JCS_GRAYSCALE : JCS_YCbCr;
    /* Of three components these sample the second and third by halves. */
    jpeg_set_defaults(&writer->codec);
    writer->codec.density_unit = (UINT8)density.unit;
    writer->codec.X_density = (UINT16)density.across;
    writer->codec.Y_density = (UINT16)density.down;
    jpeg_set_quality(&writer->codec, quality, TRUE);
    writer->codec.optimize_coding = TRUE;
    writer->codec.raw_data_in = TRUE;
    if (is_progressive) jpeg_simple_progression(&writer->codec);
    jpeg_start_compress(&writer->codec, TRUE);
    write_planes(writer, planes, components);
    jpeg_finish_compress(&writer->codec);
    *result = writer->result;
    *count = writer->count;
    writer->result = NULL;
    return close_writer(writer);
}
