/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures for the examples, which decode none: binary PPM, "P6 width height 255" and RGB bytes. */
#ifndef PPM_H
#define PPM_H

struct ppm {
    unsigned width, height; /* 1..65535 */
    unsigned char *pixels;  /* width * height * 3 bytes, row after row */
};

/* Reads a file. On failure says why on standard error and returns 0; else 1. */
int ppm_read(const char *path, struct ppm *picture);

/* Frees the pixels; of a picture that is all zero, too. */
void ppm_free(struct ppm *picture);

#endif
