# SPDX-License-Identifier: Apache-2.0
"""How far long work is, on the terminal alone."""

import os
import sys


def has_terminal():
    return sys.stderr.isatty() and os.environ.get("TERM", "dumb") != "dumb"


def counted(items, what):
    """The items one by one; a line on standard error says how many of them are done."""
    items = list(items)
    shown = has_terminal() and len(items) > 1
    try:
        for done, item in enumerate(items):
            if shown:
                print(f"\r\x1b[K{what}: {done} of {len(items)}", end="", file=sys.stderr, flush=True)
            yield item
    finally:
        if shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
