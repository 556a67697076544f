# SPDX-License-Identifier: Apache-2.0
"""The model of the hand-over of tickets (ticket.pml) holds what it says in every order of steps, for a few of each actor; and each
mutation of it is found, so that the check can fail."""

import pytest
from states import require_nothing_wrong, search

# How many of each: 1 submitter, 1 collector, 2 slots, 3 tickets and none of the others, where nothing else is said.
HOLDS = {
    "three tickets": "",
    "two submitters": "SUBMITTERS=2 TICKETS=2",
    "two collectors": "COLLECTORS=2 TICKETS=1 SLOTS=1",
    "a waiter": "WAITERS=1 TICKETS=1",
    "two waiters": "WAITERS=2 TICKETS=1 SLOTS=1",
    "a canceller": "CANCELLERS=1 TICKETS=2 SLOTS=1",
    "two cancellers": "CANCELLERS=2 COLLECTORS=0 TICKETS=1 SLOTS=1",
    "a reset": "RESETTERS=1 TICKETS=1 SLOTS=1",
    "a reset and a canceller": "RESETTERS=1 CANCELLERS=1 COLLECTORS=0 TICKETS=1 SLOTS=1",
    "another user": "USERS=1 TICKETS=2 SLOTS=1",
    "another user and a canceller": "USERS=1 CANCELLERS=1 COLLECTORS=0 TICKETS=1 SLOTS=1",
}

# What is changed, with whom, and what spin must say of it.
FOUND = {
    "the worker takes the first that it sees": ("ONE_LOOK TICKETS=2", "generation>last_run"),
    "the worker looks no more before it sleeps": ("NO_LAST_LOOK TICKETS=1 SLOTS=1", "invalid end state"),
    "the bell is rung before the ticket is there": ("RING_FIRST TICKETS=1 SLOTS=1", "invalid end state"),
    "sleepers are a flag, and wait for it": ("ONE_FLAG WAITERS=1 TICKETS=1 SLOTS=1", "invalid end state"),
    "a slot is free before its frame is looked up": ("FREE_FIRST TICKETS=2 SLOTS=1", "assertion violated"),
    "submitters do not exclude each other": ("NO_SUBMITTING SUBMITTERS=2 TICKETS=2", "assertion violated"),
    "a handle acts on whatever is in its slot": ("ANY_GENERATION CANCELLERS=1 TICKETS=2 SLOTS=1", "assertion violated"),
    "the worker waits for no canceller": ("NO_ENDING CANCELLERS=1 TICKETS=2 SLOTS=1", "running==t"),
    "a canceller says too late that he is one": ("LATE_INTERRUPTING CANCELLERS=1 TICKETS=2 SLOTS=1", "running==t"),
    "a canceller interrupts what another runs": ("ALWAYS_AT_WORK USERS=1 CANCELLERS=1 COLLECTORS=0 TICKETS=1 SLOTS=1", "running==t"),
    "a release inside destroy submits": ("SUBMIT_TO_THE_END TICKETS=1 SLOTS=1", "assertion violated"),
}


@pytest.mark.parametrize("name", HOLDS)
def test_it_holds(tmp_path, name):
    require_nothing_wrong(name, search(tmp_path, "ticket", HOLDS[name]))


@pytest.mark.parametrize("mutation", FOUND)
def test_the_mutation_is_found(tmp_path, mutation):
    options, sentence = FOUND[mutation]
    said = search(tmp_path, "ticket", options)
    assert "errors: 1" in said and sentence in said, said
