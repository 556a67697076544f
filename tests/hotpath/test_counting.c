/* SPDX-License-Identifier: Apache-2.0 */
/* The count itself: what it must see, and whose it is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counting.h"
#include "stranger.h"

static void what_we_do_is_counted(void **state)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    sem_t semaphore;
    (void)state;
    sem_init(&semaphore, 0, 0);
    counting_begin();
    free(malloc(3));
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    sem_post(&semaphore);
    (void)getenv("HOME");
    FILE *file = fopen("/dev/null", "r");
    fclose(file); /* the stream's memory is taken and freed for us */
    counting_end();
    sem_destroy(&semaphore);
    assert_int_equal(counted(COUNTED_MEMORY, true), 4);
    assert_int_equal(counted(COUNTED_LOCKS, true), 3);
    assert_int_equal(counted(COUNTED_ENVIRONMENT, true), 1);
    assert_int_equal(counted(COUNTED_FILES, true), 1);
    assert_int_equal(counted(COUNTED_MEMORY, false), 0);
}

static void what_libc_does_counts_for_whom_it_works(void **state)
{
    (void)state;
    counting_begin();
    char *copy = strdup("ours");
    counting_end();
    free(copy);
    assert_int_equal(counted(COUNTED_MEMORY, true), 1);
    assert_int_equal(counted(COUNTED_MEMORY, false), 0);

    counting_begin();
    stranger_works();
    counting_end();
    assert_int_equal(counted(COUNTED_MEMORY, true), 0);
    assert_int_equal(counted(COUNTED_MEMORY, false), 2);
    assert_int_equal(counted(COUNTED_LOCKS, false), 2);
}

static void only_what_lies_between_the_marks_is_counted(void **state)
{
    (void)state;
    counting_begin();
    counting_end();
    free(malloc(3));
    for (int kind = 0; kind < COUNTED_KINDS; kind++)
        assert_int_equal(counted((enum counted_kind)kind, true), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_we_do_is_counted),
        cmocka_unit_test(what_libc_does_counts_for_whom_it_works),
        cmocka_unit_test(only_what_lies_between_the_marks_is_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
