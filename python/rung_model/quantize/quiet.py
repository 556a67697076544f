# SPDX-License-Identifier: Apache-2.0
"""Silence: the quantiser warns of what is chosen here, and prints."""

import contextlib
import io
import logging
import warnings

import onnxruntime

ERRORS, WARNINGS = 3, 2  # as ONNX Runtime counts what it logs; the second is its default


@contextlib.contextmanager
def quiet():
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    onnxruntime.set_default_logger_severity(ERRORS)
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            yield
    finally:
        onnxruntime.set_default_logger_severity(WARNINGS)
        logging.disable(before)


def first_line(error):
    """Some errors have no text, some have pages of it."""
    return (str(error).splitlines() or ["no reason given"])[0]
