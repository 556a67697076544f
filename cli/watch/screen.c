/* SPDX-License-Identifier: Apache-2.0 */
#include "screen.h"

#include <errno.h>
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

bool screen_is_shown(void)
{
    return is_drawn_on;
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
