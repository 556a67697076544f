/* SPDX-License-Identifier: Apache-2.0 */
#include "screen.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "signals.h"

/* The other screen, no cursor, long lines cut off at the right; and all that back (xterm's control
 * sequences, which every terminal of today has). */
#define ENTER "\033[?1049h\033[?25l\033[?7l"
#define LEAVE "\033[?7h\033[?25h\033[?1049l"

static atomic_bool is_drawn_on;

#define LATER_LINES 16
#define LATER_BYTES 512

/** What is said when the screen is gone: the last lines. */
static struct {
    pthread_mutex_t lock; /* holds what follows */
    char lines[LATER_LINES][LATER_BYTES];
    unsigned long count; /* of all that there were */
} later = {.lock = PTHREAD_MUTEX_INITIALIZER};

/** Safe in a signal handler. */
static void say(const char *sequence, size_t length)
{
    const int error = errno;
    const ssize_t written = write(STDOUT_FILENO, sequence, length);
    (void)written; /* a terminal that is gone needs no repair */
    errno = error;
}

static void leave(void)
{
    if (is_drawn_on)
        say(LEAVE, sizeof LEAVE - 1);
}

/** Ctrl-Z: the other screen is there again when the process goes on. */
static void stop(int number)
{
    (void)number;
    leave();
    raise(SIGSTOP);
    if (is_drawn_on)
        say(ENTER, sizeof ENTER - 1);
}

bool screen_is_there(void)
{
    const char *kind = getenv("TERM");
    return isatty(STDOUT_FILENO) && kind && strcmp(kind, "dumb") != 0;
}

bool screen_say_later(const char *level, const char *text)
{
    if (!is_drawn_on || !isatty(STDERR_FILENO))
        return false;
    pthread_mutex_lock(&later.lock);
    snprintf(later.lines[later.count++ % LATER_LINES], LATER_BYTES, "rung: %s%s", level, text);
    pthread_mutex_unlock(&later.lock);
    return true;
}

static void say_now(void)
{
    pthread_mutex_lock(&later.lock);
    const unsigned long first = later.count > LATER_LINES ? later.count - LATER_LINES : 0;
    if (first > 0)
        fprintf(stderr, "rung: %lu more lines are left out\n", first);
    for (unsigned long i = first; i < later.count; i++)
        fprintf(stderr, "%s\n", later.lines[i % LATER_LINES]);
    later.count = 0;
    pthread_mutex_unlock(&later.lock);
}

void screen_begin(void)
{
    const struct sigaction action = {.sa_handler = stop, .sa_flags = SA_RESTART};
    fflush(stdout);
    signals_at_end(leave);
    sigaction(SIGTSTP, &action, NULL);
    is_drawn_on = true;
    say(ENTER, sizeof ENTER - 1);
}

void screen_end(void)
{
    fflush(stdout);
    leave();
    is_drawn_on = false;
    sigaction(SIGTSTP, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
    say_now();
}

void screen_size(int *columns, int *rows)
{
    struct winsize size;
    const bool known =
        ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0;
    *columns = known ? size.ws_col : 80;
    *rows = known ? size.ws_row : 24;
}

void screen_draw(void)
{
    fputs("\033[H", stdout);
}

void screen_line(void)
{
    fputs("\033[K\n", stdout);
}

void screen_show(void)
{
    fputs("\033[J", stdout);
    fflush(stdout);
}
