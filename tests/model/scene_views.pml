/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading published scenes (src/scene/publish.c) as a model for spin, which takes every order of
 * the steps of one writer and several readers. One statement, or one atomic block, is one access to
 * memory that threads share. Names are those of the code.
 *
 * What must hold:
 *  - what a reader holds is whole, and never written;
 *  - the newest never becomes older;
 *  - with as many readers as there is room for, the writer always has a view to write into;
 *  - in the end every view but the newest is free again.
 */

#ifndef READERS
#define READERS 2
#endif
#ifndef ROOM
#define ROOM READERS /* max_readers */
#endif
#ifndef SCENES
#define SCENES 4
#endif
#ifndef READS
#define READS 2 /* of each reader */
#endif

#define VIEWS (ROOM + 2)
#define NONE  VIEWS

/* ---- what threads share ---------------------------------------------------------------------- */

byte word_view = NONE, word_pins; /* of one word: read and written together */
byte released[VIEWS];
byte content[VIEWS]; /* the number of the scene; 0: it is being written */

/* The writer's own. */
byte pins[VIEWS];
byte newest = NONE;

byte dropped, readers_done;

inline begin(v)
{
    v = 0;
    do
    :: v == VIEWS -> break
#ifdef NEWEST_TOO
    :: v < VIEWS && released[v] == pins[v] -> break
#else
    :: v < VIEWS && v != newest && released[v] == pins[v] -> break
    :: v < VIEWS && v == newest -> v++
#endif
    :: v < VIEWS && released[v] != pins[v] -> v++
    od
}

inline commit(v)
{
#ifdef COUNT_FIRST /* the pins of the old one are counted before the word is exchanged */
    before = word_pins;
    atomic { word_view = v; word_pins = 0 };
#else
    atomic { before = word_pins; word_view = v; word_pins = 0 };
#endif
    atomic {
        if
        :: newest != NONE -> pins[newest] = pins[newest] + before
        :: else
        fi;
        newest = v;
        before = 0
    }
}

active proctype writer()
{
    byte v, before, scene = 1;
    do
    :: scene > SCENES -> break
    :: else ->
        begin(v);
        if
        :: v == VIEWS -> dropped++
        :: else ->
            content[v] = 0;
            content[v] = scene;
            commit(v)
        fi;
        scene++
    od;
    assert(ROOM < READERS || dropped == 0);
    /* When all readers are done every view but the newest is free. */
    readers_done == READERS;
    v = 0;
    do
    :: v == VIEWS -> break
    :: v < VIEWS && v != newest -> assert(released[v] == pins[v]); v++
    :: v < VIEWS && v == newest -> assert(released[v] == pins[v] + word_pins); v++
    od
}

active [READERS] proctype reader()
{
    byte v, seen, last, reads;
    do
    :: reads == READS -> break
    :: else ->
        atomic { v = word_view; word_pins++ }; /* pin */
        if
        :: v == NONE
        :: else ->
            seen = content[v];
            assert(seen != 0 && seen >= last);
            last = seen;
            assert(content[v] == seen); /* it may be as long as it likes with it */
#ifdef UNPIN_THE_WORD /* gives back to whatever is the newest by then */
            atomic { if :: word_view != NONE -> released[word_view]++ :: else fi }
#else
            released[v]++ /* unpin */
#endif
        fi;
        reads++
    od;
    readers_done++
}
