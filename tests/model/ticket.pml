/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hand-over of tickets (src/session/slot.c, ticket.c, worker.c, use.c) as a model for spin,
 * which takes every order of their steps. One statement, or one atomic block, is one access to
 * memory that threads share, sequentially consistent as those of the code are. Names are those of
 * the code.
 *
 * What must hold:
 *  - nobody sleeps for good: a queued ticket is run, who waits is woken, destroy comes to its end
 *    (a state in which nothing can happen any more, and somebody has not come to his, is an error);
 *  - a ticket comes to one end, and its frame is released once, never while the worker reads it;
 *  - what is in a slot is used by one thread at a time, and only of the ticket that it is about;
 *  - tickets are run in the order in which they were submitted;
 *  - an interrupt meets no other ticket's run.
 *
 * test_ticket.py says how many there are of each actor, and which mutations must be found.
 */

#ifndef SUBMITTERS
#define SUBMITTERS 1
#endif
#ifndef COLLECTORS
#define COLLECTORS 1
#endif
#ifndef WAITERS
#define WAITERS 0
#endif
#ifndef CANCELLERS
#define CANCELLERS 0
#endif
#ifndef RESETTERS
#define RESETTERS 0
#endif
#ifndef USERS
#define USERS 0
#endif
#ifndef SLOTS
#define SLOTS 2
#endif
#ifndef TICKETS
#define TICKETS 3
#endif

/* ---- what threads share ---------------------------------------------------------------------- */

#define FREE       0
#define QUEUED     1
#define RUNNING    2
#define ENDING     3
#define CANCELLING 4
#define COMPLETE   5
#define COLLECTING 6
#define FAILED     7
#define CANCELLED  8
#define RETIRING   9

#define WORD(generation, phase) ((generation) * 16 + (phase))
#define GENERATION(word)        ((word) / 16)
#define PHASE(word)             ((word) % 16)

byte word[SLOTS];
byte sleepers[SLOTS], news[SLOTS];
byte interrupting[SLOTS];
bool submitting, ending, at_work;

#define AWAKE  0
#define ASLEEP 1
bit bell;

#define UNUSED  0
#define USED    1
#define AWAITED 2
byte use;

/* Of each number that is waited for: bits of the processes that sleep. */
short sleep_bell, sleep_use, sleep_news[SLOTS], sleep_interrupting[SLOTS];

/* rung__wait: the kernel compares and puts to sleep in one step. The model knows no wake for no
 * reason, which the code would survive and which would hide that one is missing. */
inline wait_for(number, value, sleeping)
{
    atomic { if :: number == value -> sleeping = sleeping | (1 << _pid) :: else fi };
    (sleeping & (1 << _pid)) == 0
}

/* ---- what must hold -------------------------------------------------------------------------- */

byte frame[SLOTS];             /* the ticket whose frame is in the slot */
byte result[SLOTS];            /* the ticket whose packet is in it */
byte user[SLOTS];              /* who uses what is in it: a process + 1 */
byte running;                  /* the ticket that the runtime runs; 0: none */
#define SYNCHRONOUS (TICKETS + 1) /* for who does not submit */
byte tickets;                  /* generations that were given out */
bool known[TICKETS + 1];       /* submit has returned it */
byte slot_of[TICKETS + 1];
bool released[TICKETS + 1];
byte done_submitting, done;

inline begin_using(s)
{
    atomic { assert(user[s] == 0); user[s] = _pid + 1 }
}

inline end_using(s)
{
    atomic { assert(user[s] == _pid + 1); user[s] = 0 }
}

/* ---- slot.c ---------------------------------------------------------------------------------- */

inline notify(s)
{
#ifdef ONE_FLAG /* `sleepers` is a flag, and the number that is waited for */
    atomic { if :: sleepers[s] == 1 -> sleepers[s] = 0; sleep_news[s] = 0 :: else fi }
#else
    if
    :: sleepers[s] != 0 -> news[s]++; sleep_news[s] = 0
    :: sleepers[s] == 0
    fi
#endif
}

#ifdef ANY_GENERATION
#define IS(s, generation, phase) (PHASE(word[s]) == (phase))
#else
#define IS(s, generation, phase) (word[s] == WORD(generation, phase))
#endif

/* Without the notify, which the caller does where the phase is news. */
inline slot_move(s, generation, from, to, moved)
{
    atomic {
        if
        :: IS(s, generation, from) -> word[s] = WORD(generation, to); moved = true
        :: else -> moved = false
        fi
    }
}

inline slot_wait(s, old)
{
#ifdef ONE_FLAG
    sleepers[s] = 1;
    if
    :: word[s] != old
    :: word[s] == old -> wait_for(sleepers[s], 1, sleep_news[s])
    fi
#else
    sleepers[s]++;
    seen = news[s];
    if
    :: word[s] != old
    :: word[s] == old -> wait_for(news[s], seen, sleep_news[s])
    fi;
    atomic { sleepers[s]--; seen = 0 }
#endif
}

inline slot_retire(s)
{
#ifndef FREE_FIRST
    atomic { assert(user[s] == 0); mine = frame[s]; frame[s] = 0 };
#endif
    word[s] = WORD(0, FREE);
#ifdef FREE_FIRST
    atomic { mine = frame[s]; frame[s] = 0 };
#endif
    notify(s);
    atomic {
        assert(mine != 0 && !released[mine] && running != mine);
        released[mine] = true;
        mine = 0
    }
}

/* ---- ticket.c -------------------------------------------------------------------------------- */

#ifdef SUBMIT_TO_THE_END
#define IS_ENDING
#else
#define IS_ENDING || ending
#endif

/* 0: BUSY, or the context is being destroyed. */
inline submit(t)
{
    t = 0;
#ifndef NO_SUBMITTING
    atomic { taken = submitting; submitting = true };
    if
    :: taken
    :: else ->
#endif
        s = 0;
        do
        :: s < SLOTS && word[s] != WORD(0, FREE) -> s++
        :: s < SLOTS && word[s] == WORD(0, FREE) -> break
        :: s == SLOTS -> break
        od;
        if
        :: s == SLOTS IS_ENDING
        :: else ->
            begin_using(s);
            atomic { end_using(s); tickets++; t = tickets; frame[s] = t; slot_of[t] = s };
#ifdef RING_FIRST
            worker_ring();
#endif
            word[s] = WORD(t, QUEUED);
#ifndef RING_FIRST
            worker_ring();
#endif
            known[t] = true
        fi;
#ifndef NO_SUBMITTING
        submitting = false
    fi;
#endif
    s = 0
}

#define IS_OF(w, t)  (GENERATION(w) == (t) && PHASE(w) != RETIRING)
#define IS_DONE(w)   (PHASE(w) != QUEUED && PHASE(w) != RUNNING && PHASE(w) != ENDING && \
                      PHASE(w) != CANCELLING)

/* wait_for_end without a limit; `old` is then an end of the ticket, or of another one. */
inline wait_for_end(s, t)
{
    do
    :: atomic {
           old = word[s];
           if
           :: !IS_OF(old, t) || IS_DONE(old) -> break
           :: else
           fi
       };
       slot_wait(s, old)
    od
}

/* `gone`: the ticket is collected, or another thread let it go. */
inline collect(s, t)
{
    wait_for_end(s, t);
    if
    :: !IS_OF(old, t) -> gone = true
    :: IS_OF(old, t) && (PHASE(old) == FAILED || PHASE(old) == CANCELLED) ->
        slot_move(s, t, PHASE(old), RETIRING, moved);
        if
        :: moved -> slot_retire(s); gone = true
        :: else /* BUSY */
        fi
    :: IS_OF(old, t) && (PHASE(old) == COMPLETE || PHASE(old) == COLLECTING) ->
        slot_move(s, t, COMPLETE, COLLECTING, moved);
        if
        :: moved ->
            begin_using(s);
            atomic { end_using(s); assert(result[s] == t) };
            if
            :: word[s] = WORD(t, RETIRING); slot_retire(s); gone = true
            :: has_room == false -> has_room = true; /* CAPACITY, once */
               word[s] = WORD(t, COMPLETE); notify(s)
            fi
        :: else /* BUSY */
        fi
    fi;
    old = 0; moved = false
}

inline retire_idle(s, t)
{
    slot_move(s, t, QUEUED, RETIRING, moved);
    if :: !moved -> slot_move(s, t, COMPLETE, RETIRING, moved) :: else fi;
    if :: !moved -> slot_move(s, t, FAILED, RETIRING, moved) :: else fi;
    if :: !moved -> slot_move(s, t, CANCELLED, RETIRING, moved) :: else fi;
    if :: moved -> slot_retire(s) :: else fi
}

/* rung__worker_interrupt: it meets what the runtime runs just now. */
inline interrupt(t)
{
#ifdef ALWAYS_AT_WORK
    assert(running == 0 || running == t)
#else
    if
    :: at_work -> assert(running == 0 || running == t)
    :: !at_work
    fi
#endif
}

inline suppress(s, t)
{
#ifdef LATE_INTERRUPTING
    slot_move(s, t, RUNNING, CANCELLING, moved);
    interrupting[s]++;
#else
    interrupting[s]++;
    slot_move(s, t, RUNNING, CANCELLING, moved);
#endif
    if
    :: moved -> interrupt(t)
    :: else -> slot_move(s, t, ENDING, CANCELLING, moved)
    fi;
    interrupting[s]--;
    sleep_interrupting[s] = 0
}

inline cancel(s, t)
{
    if
    :: IS_OF(word[s], t) ->
        retire_idle(s, t);
        if
        :: !moved -> suppress(s, t); retire_idle(s, t)
        :: else
        fi
    :: else
    fi;
    moved = false
}

/* rung_context_reset of one slot. */
inline drop(s, t)
{
    do
    :: atomic {
           old = word[s];
           if
           :: GENERATION(old) != t -> break
           :: else
           fi
       };
       retire_idle(s, t);
       if
       :: moved -> break
       :: else
       fi;
       suppress(s, t);
       if
       :: PHASE(old) == CANCELLING || PHASE(old) == COLLECTING || PHASE(old) == RETIRING ->
           slot_wait(s, old)
       :: else
       fi
    od;
    old = 0; moved = false
}

/* ---- use.c ----------------------------------------------------------------------------------- */

bool in_use;

inline use_end()
{
    in_use = false;
    atomic { taken = (use == AWAITED); use = UNUSED };
    if :: taken -> sleep_use = 0; taken = false :: else fi
}

inline use_wait()
{
    atomic { if :: use == UNUSED -> use = USED; taken = true :: else -> taken = false fi };
    do
    :: taken -> break
    :: else ->
        atomic { taken = (use == UNUSED); use = AWAITED };
        if :: !taken -> wait_for(use, AWAITED, sleep_use) :: else fi
    od;
    taken = false;
    atomic { assert(!in_use); in_use = true }
}

/* ---- worker.c -------------------------------------------------------------------------------- */

inline worker_ring()
{
    atomic { taken = (bell == ASLEEP); bell = AWAKE };
    if :: taken -> sleep_bell = 0; taken = false :: else fi
}

/* `oldest` SLOTS: none. */
inline find_oldest(most)
{
    oldest = SLOTS; generation = most; s = 0;
    do
    :: s < SLOTS ->
        atomic {
            old = word[s];
            if
            :: PHASE(old) == QUEUED && GENERATION(old) <= generation ->
                generation = GENERATION(old); oldest = s
            :: else
            fi;
            s++
        }
    :: else -> break
    od;
    s = 0; old = 0
}

inline take()
{
    do
    :: find_oldest(TICKETS);
       if :: oldest == SLOTS -> break :: else fi;
#ifndef ONE_LOOK
       find_oldest(generation);
#endif
       if
       :: oldest != SLOTS -> slot_move(oldest, generation, QUEUED, RUNNING, moved)
       :: else -> moved = false
       fi;
       if :: moved -> break :: else fi
    od
}

inline let_cancellers_finish(s)
{
    do
    :: atomic { seen = interrupting[s]; if :: seen == 0 -> break :: else fi };
       wait_for(interrupting[s], seen, sleep_interrupting[s])
    od
}

inline serve(s)
{
    assert(generation > last_run);
    last_run = generation;
#if USERS
    use_wait();
#endif
    begin_using(s);
    at_work = true;
    if
    :: PHASE(word[s]) != CANCELLING ->
        atomic { assert(frame[s] == generation); running = generation };
        atomic { result[s] = generation; running = 0 }
    :: PHASE(word[s]) == CANCELLING
    fi;
    slot_move(s, generation, RUNNING, ENDING, moved);
#ifndef NO_ENDING
    if :: !moved -> let_cancellers_finish(s) :: else fi;
#endif
    at_work = false;
#if USERS
    use_end();
#endif
    end_using(s);
    assert(!ended[generation]);
    ended[generation] = true;
    if
    :: true -> slot_move(s, generation, ENDING, COMPLETE, moved)
    :: true -> slot_move(s, generation, ENDING, FAILED, moved)
    fi;
    if :: !moved -> word[s] = WORD(generation, CANCELLED) :: else fi;
    notify(s);
    moved = false; oldest = 0; generation = 0
}

inline sleep_until_rung()
{
    bell = ASLEEP;
#ifdef NO_LAST_LOOK
    oldest = SLOTS;
#else
    find_oldest(TICKETS);
#endif
    if
    :: ending || oldest != SLOTS
    :: else -> wait_for(bell, ASLEEP, sleep_bell)
    fi;
    atomic { bell = AWAKE; oldest = 0; generation = 0 }
}

bool joined;

proctype worker()
{
    byte s, old, oldest, generation, seen, last_run;
    bool moved, taken, ended[TICKETS + 1];
    do
    :: ending -> break
    :: !ending ->
        take();
        if
        :: oldest != SLOTS -> serve(oldest)
        :: else -> sleep_until_rung()
        fi
    od;
    joined = true
}

/* ---- those who call -------------------------------------------------------------------------- */

/* A handle, at a time when it may be of any use; one that is stale by then is as good. */
#define SUBMITTED(t) (known[t] || done_submitting == SUBMITTERS)

proctype submitter(byte count)
{
    byte s, t;
    bool taken;
    do
    :: count > 0 -> submit(t); count--
    :: else -> break
    od;
    atomic { t = 0; done_submitting++; done++ }
}

/* Collects every ticket until it is gone, or leaves some to destroy. */
proctype collector()
{
    byte s, t = 1, old, seen, mine;
    bool moved, gone, has_room;
    do
    :: t <= TICKETS ->
        SUBMITTED(t);
        if
        :: known[t] ->
            s = slot_of[t];
            do
            :: !gone -> collect(s, t)
            :: gone -> break
            od;
            gone = false
        :: skip
        fi;
        t++
    :: else -> break
    od;
    atomic { s = 0; done++ }
}

#define CHOOSE(t) do :: t < TICKETS -> t++ :: break od; SUBMITTED(t)

proctype waiter()
{
    byte t = 1, old, seen;
    CHOOSE(t);
    if
    :: known[t] -> wait_for_end(slot_of[t], t)
    :: else
    fi;
    atomic { old = 0; t = 0; done++ }
}

proctype canceller()
{
    byte t = 1, mine;
    bool moved;
    CHOOSE(t);
    if
    :: known[t] -> cancel(slot_of[t], t)
    :: else
    fi;
    atomic { t = 0; done++ }
}

proctype resetter()
{
    byte s, t[SLOTS], old, seen, mine;
    bool moved;
    for (s : 0 .. SLOTS - 1) { t[s] = GENERATION(word[s]) }
    for (s : 0 .. SLOTS - 1) {
        if
        :: t[s] != 0 -> retire_idle(s, t[s]); if :: moved -> t[s] = 0 :: else fi
        :: else
        fi
    }
    for (s : 0 .. SLOTS - 1) {
        if
        :: t[s] != 0 -> drop(s, t[s])
        :: else
        fi
    }
    done++
}

/* rung_detect and the like. */
proctype user_of_context()
{
    bool taken;
    atomic { if :: use == UNUSED -> use = USED; taken = true :: else fi };
    if
    :: taken ->
        atomic { assert(!in_use); in_use = true; running = SYNCHRONOUS };
        running = 0;
        use_end()
    :: else /* BUSY */
    fi;
    done++
}

#define START(count, actor) i = 0; do :: i < count -> run actor; i++ :: else -> break od

/* rung_tickets_destroy. A release may submit the next, which is refused by then. */
init
{
    byte s, t, i, mine;
    bool taken;
    atomic {
        run worker();
        START(SUBMITTERS, submitter((TICKETS + i) / SUBMITTERS));
        START(COLLECTORS, collector());
        START(WAITERS, waiter());
        START(CANCELLERS, canceller());
        START(RESETTERS, resetter());
        START(USERS, user_of_context());
    }
    done == SUBMITTERS + COLLECTORS + WAITERS + CANCELLERS + RESETTERS + USERS;
    ending = true;
    worker_ring();
    joined;
    for (i : 0 .. SLOTS - 1) {
        if
        :: word[i] != WORD(0, FREE) -> slot_retire(i); submit(t)
        :: else
        fi
    }
    for (t : 1 .. tickets) { assert(released[t]) }
}
