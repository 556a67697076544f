# SPDX-License-Identifier: Apache-2.0
"""Release-time work on models. The device never edits a graph: what shapes a model happens here."""


class Refusal(Exception):
    """The model cannot be used as asked; the text says why and what to do."""
