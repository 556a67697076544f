/* SPDX-License-Identifier: Apache-2.0 */
/* A library that is none of ours, as a runtime is. */
#include "stranger.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static volatile int worked;

void stranger_works(void)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    char *copy = strdup("a stranger's");
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    free(copy);
    worked = 1; /* no call is the last thing: it would be made as from our caller */
}
