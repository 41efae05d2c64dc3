#ifndef TINTYPE_CJPEG_H
#define TINTYPE_CJPEG_H

#include <stddef.h>
#include <stdint.h>

/*
 * A JPEG's planes in and out, as they are stored: no color conversion, no upsampling. This is C and not Swift because libjpeg
 * reports errors by longjmp, which may not cross a frame of Swift. Nothing here jumps out of a function that Swift calls.
 */

enum {
    TINTYPE_JPEG_DONE = 0,
    /* The bytes, or memory, are not good enough. */
    TINTYPE_JPEG_REFUSED = 1,
    /* `watch` said so. */
    TINTYPE_JPEG_STOPPED = 2,
};

/* Asked after each row of blocks, and in each scan; 0 stops. */
typedef int (*tintype_jpeg_watch)(void *context, double fraction);

typedef struct {
    int width;
    int height;
    /* 1: gray; 3: YCbCr; 0: anything else. */
    int components;
    int horizontal[3];
    int vertical[3];
} tintype_jpeg_header;

/* One plane, of 8 bits a sample. */
typedef struct {
    uint8_t *data;
    size_t stride;
    /* Decoding: of the whole plane, which must be what libjpeg makes of it. Encoding: of the plane. */
    int whole_width;
    int whole_height;
    /* Decoding: the part of it that is wanted, which begins at `data`. */
    int x;
    int y;
    int width;
    int height;
} tintype_jpeg_plane;

/* A part of a file. */
typedef struct {
    size_t start;
    size_t count;
} tintype_jpeg_part;

/* Of pixels. unit: 0: none, the sides of a pixel alone; 1: in an inch; 2: in a centimeter. */
typedef struct {
    int unit;
    int across;
    int down;
} tintype_jpeg_density;

int tintype_jpeg_read_header(const uint8_t *bytes, size_t count, tintype_jpeg_header *header);

/*
 * parts: those of the file that are read, in order, at least one. shrink: 1, 2, 4 or 8. most_warnings: how much damage is repaired. is_whole: whether a file that ends too early is refused.
 */
int tintype_jpeg_decode(const uint8_t *bytes, const tintype_jpeg_part *parts, size_t part_count, int shrink, const tintype_jpeg_plane *planes,
                        int components, long most_warnings, int is_whole, tintype_jpeg_watch watch, void *context);

/*
 * Of three planes the second and third have half the sides of the first, rounded up. A stride must have room for whole blocks
 * (16 samples of the first plane, 8 of the others): what lies between is written to. `result` is malloc's, for the caller to free.
 */
int tintype_jpeg_encode(const tintype_jpeg_plane *planes, int components, int quality, int is_progressive, tintype_jpeg_density density,
                        tintype_jpeg_watch watch, void *context, uint8_t **result, size_t *count);

#endif
