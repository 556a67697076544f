# SPDX-License-Identifier: Apache-2.0
"""The models of a scene's two hand-overs, of frames (scene_sources.pml) and of published views (scene_views.pml), hold what they say
in every order of steps, for a few of each actor; and each mutation of them is found, so that the check can fail."""

import pytest
from states import require_nothing_wrong, search

# The model, and how many of each.
HOLDS = {
    "two readers": ("scene_views", "READERS=2"),
    "three readers": ("scene_views", "READERS=3 SCENES=3 READS=1"),
    "more readers than there is room for": ("scene_views", "READERS=2 ROOM=1"),
    "two threads that offer": ("scene_sources", "OFFERERS=2 OFFERS=1 TICKS=2"),
    "a thread that offers more often": ("scene_sources", "OFFERERS=1 OFFERS=3 TICKS=2"),
    "a source that is removed twice": ("scene_sources", "OFFERERS=1 OFFERS=2 TICKS=2 REMOVALS=2"),
}

# The model, what is changed and with whom, and what spin must say of it.
FOUND = {
    "the newest view is written into": ("scene_views", "NEWEST_TOO", "content[v]==seen"),
    "pins are counted before the word is exchanged": ("scene_views", "COUNT_FIRST", "assertion violated"),
    "a reader gives back the newest, not what it had": ("scene_views", "UNPIN_THE_WORD", "assertion violated"),
    "threads that offer do not exclude each other": ("scene_sources", "NO_CLAIM", "assertion violated"),
    "a source is removed behind its frame": ("scene_sources", "WITHDRAW_FIRST", "released[i]==1"),
    "a place that the tick is in is used again": ("scene_sources", "TAKEN_TOO", "assertion violated"),
}


@pytest.mark.parametrize("name", HOLDS)
def test_it_holds(tmp_path, name):
    require_nothing_wrong(name, search(tmp_path, *HOLDS[name]))


@pytest.mark.parametrize("mutation", FOUND)
def test_the_mutation_is_found(tmp_path, mutation):
    model, options, sentence = FOUND[mutation]
    said = search(tmp_path, model, options)
    assert "errors: 1" in said and sentence in said, said
