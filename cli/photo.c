/* SPDX-License-Identifier: Apache-2.0 */
/* What of photo.h needs no libvips. */
#include "photo.h"

#include <stdlib.h>

void photo_prepare(void)
{
    /* libvips would load every module of its own: PDF, slides, ImageMagick and the fifty libraries
     * below them, 15 ms and more. The one for HEIF is loaded by the first file that needs it. */
    if (!getenv("VIPSHOME"))
        setenv("VIPSHOME", "/nonexistent", 1); /* where it fails, the start is slower */
}

void photo_finish(struct photo *photo)
{
    free(photo->pixels);
    *photo = (struct photo){0};
}
