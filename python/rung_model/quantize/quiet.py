# SPDX-License-Identifier: Apache-2.0
"""Silence: the quantiser warns of what is chosen here, and prints."""

import contextlib
import io
import logging
import warnings


@contextlib.contextmanager
def quiet():
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)
