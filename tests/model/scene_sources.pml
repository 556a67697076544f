/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hand-over of a source's frames (src/scene/source.c) as a model for spin, which takes every
 * order of the steps of two threads that offer, one that removes and adds the source, and the tick.
 * One statement, or one atomic block, is one access to memory that threads share, sequentially
 * consistent. Names are those of the code.
 *
 * What must hold:
 *  - a place is used by one thread at a time;
 *  - every frame that was accepted is released once, and the tick's not before it is done with it;
 *  - a place that the tick is in is not given to another source.
 */

#ifndef OFFERERS
#define OFFERERS 2
#endif
#ifndef OFFERS
#define OFFERS 2 /* of each of them */
#endif
#ifndef TICKS
#define TICKS 2
#endif
#ifndef REMOVALS
#define REMOVALS 1
#endif

#define FRAMES (OFFERERS * OFFERS + 1)
#define FULL   4

/* ---- what threads share ---------------------------------------------------------------------- */

bool is_active = true, offering, taken;
byte pending = 2; /* the number of a place, and FULL */

/* Under `offering`; under `taken`, and `given` is what the code calls empty. */
byte back = 0, front = 1, given;

byte place[3]; /* the frame that is in it */
byte user[3];  /* who uses it: a process + 1 */

bool accepted[FRAMES];
byte released[FRAMES];
byte used; /* the frame that the tick works on */
byte frames, done;

inline begin_using(p)
{
    atomic { assert(user[p] == 0); user[p] = _pid + 1 }
}

inline end_using(p)
{
    atomic { assert(user[p] == _pid + 1); user[p] = 0 }
}

inline release(f)
{
    atomic { assert(accepted[f] && released[f] == 0 && used != f); released[f] = 1 }
}

inline claim(got)
{
#ifdef NO_CLAIM
    got = true;
#else
    atomic { got = !offering; offering = true };
#endif
}

/* Takes the pending frame out on the side of whoever offers; 0: there was none. */
inline withdraw(f)
{
    atomic { before = pending; pending = back };
    atomic { back = before % FULL; f = (before >= FULL -> place[back] : 0) }
}

proctype offerer()
{
    byte before, f, leaving, offers;
    bool got, there;
    do
    :: offers == OFFERS -> break
    :: else ->
        claim(got);
        if
        :: got ->
            there = is_active;
            leaving = 0;
            if
            :: there ->
                begin_using(back);
                atomic { frames++; f = frames; accepted[f] = true; place[back] = f };
                end_using(back);
                atomic { before = pending; pending = back + FULL };
                atomic { back = before % FULL; leaving = (before >= FULL -> place[back] : 0) }
            :: else
            fi;
            offering = false;
            if
            :: leaving != 0 -> release(leaving)
            :: else
            fi
        :: else /* BUSY */
        fi;
        offers++
    od;
    done++
}

/* Removes the source, and adds one that may have its place. */
proctype remover()
{
    byte before, f, removals;
    bool got;
    do
    :: removals == REMOVALS -> break
    :: else ->
        claim(got);
        if
        :: got ->
#ifdef WITHDRAW_FIRST
            withdraw(f);
            is_active = false;
#else
            is_active = false;
            withdraw(f);
#endif
            offering = false;
            if
            :: f != 0 -> release(f)
            :: else
            fi;
#ifdef TAKEN_TOO
            {
#else
            if
            :: taken /* it is another place that the new source has */
            :: else ->
#endif
                assert(user[0] == 0 && user[1] == 0 && user[2] == 0);
                back = 0;
                front = 1;
                pending = 2;
                is_active = true
#ifdef TAKEN_TOO
            }
#else
            fi
#endif
        :: else /* BUSY */
        fi;
        removals++
    od;
    done++
}

inline take(f)
{
    given = front;
    atomic { before = pending; pending = front };
    atomic { front = before % FULL; f = (before >= FULL -> place[front] : 0) }
}

inline put_back(f)
{
    atomic {
        if
        :: pending == given -> pending = front + FULL; put = true
        :: else -> put = false
        fi
    };
    if
    :: put ->
        front = given;
        if
        :: !is_active ->
            take(f);
            if
            :: f != 0 -> release(f)
            :: else
            fi
        :: is_active
        fi
    :: else -> release(f)
    fi
}

proctype tick()
{
    byte before, f, ticks;
    bool put;
    do
    :: ticks == TICKS -> break
    :: else ->
        taken = true;
        if
        :: is_active ->
            take(f);
            if
            :: f != 0 ->
                begin_using(front);
                used = f; /* for as long as the model takes */
                used = 0;
                end_using(front);
                if
                :: release(f)
                :: put_back(f)
                fi
            :: else
            fi
        :: else
        fi;
        taken = false;
        ticks++
    od;
    done++
}

/* Once all are done: what is pending is released by the end of the scene, and then all were. */
init
{
    byte i = 1, before, f;
    atomic {
        run offerer();
#if OFFERERS > 1
        run offerer();
#endif
        run remover();
        run tick()
    };
    done == OFFERERS + 2;
    if
    :: is_active ->
        withdraw(f);
        if
        :: f != 0 -> release(f)
        :: else
        fi
    :: else
    fi;
    do
    :: i > frames -> break
    :: else -> assert(released[i] == 1); i++
    od
}
