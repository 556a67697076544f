/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The loop of touch.c for vectors of TOUCH_BYTES, with what TOUCH_TARGET lets the compiler use;
 * included once a level. Names get TOUCH_BYTES at their end.
 */
#define TOUCH_PASTE(name, bytes) name##_##bytes
#define TOUCH_JOIN(name, bytes)  TOUCH_PASTE(name, bytes)
#define TOUCH_NAME(name)         TOUCH_JOIN(name, TOUCH_BYTES)
#define TOUCH_VECTOR             TOUCH_NAME(vector)

typedef uint64_t TOUCH_VECTOR __attribute__((vector_size(TOUCH_BYTES), aligned(1), may_alias));

/** Every byte, by whole vectors; the last one may overlap the one before it. */
TOUCH_TARGET static inline void TOUCH_NAME(read_row)(const uint8_t *row, size_t bytes,
                                                     TOUCH_VECTOR *sum)
{
    TOUCH_VECTOR all = *sum;
    for (size_t i = 0; i + TOUCH_BYTES <= bytes; i += TOUCH_BYTES)
        all ^= *(const TOUCH_VECTOR *)(row + i);
    *sum = all ^ *(const TOUCH_VECTOR *)(row + bytes - TOUCH_BYTES);
}

TOUCH_TARGET static inline void TOUCH_NAME(store_row)(const struct bench_form *form, uint32_t y,
                                                      const TOUCH_VECTOR *value, uint8_t *tensor)
{
    const size_t row_bytes = form->canvas_width * sizeof(float);
    const TOUCH_VECTOR same = *value;
    for (size_t plane = 0; plane < 3; plane++) {
        uint8_t *row = tensor + (plane * form->canvas_height + y) * row_bytes;
        for (size_t i = 0; i < row_bytes; i += TOUCH_BYTES)
            *(TOUCH_VECTOR *)(row + i) = same;
    }
}

TOUCH_TARGET static void TOUCH_NAME(touch)(const struct bench_touch *bench, const uint8_t *pixels,
                                           uint8_t *tensor)
{
    const size_t row_bytes = (size_t)3 * bench->form.width;
    uint32_t next = 0; /* the first row that was not read yet */
    TOUCH_VECTOR sum = {0};
    for (uint32_t y = 0; y < bench->form.canvas_height; y++) {
        if (y >= bench->top && y - bench->top < bench->content_height) {
            const struct rung__pair *pair = &bench->pairs[y - bench->top];
            for (uint32_t row = pair->first > next ? pair->first : next; row <= pair->second; row++)
                TOUCH_NAME(read_row)(pixels + row * row_bytes, row_bytes, &sum);
            next = pair->second + 1;
        }
        TOUCH_NAME(store_row)(&bench->form, y, &sum, tensor);
    }
}

#undef TOUCH_VECTOR
#undef TOUCH_NAME
#undef TOUCH_JOIN
#undef TOUCH_PASTE
#undef TOUCH_TARGET
#undef TOUCH_BYTES
