# SPDX-License-Identifier: Apache-2.0
"""How many states each search of a model went through."""

states = {}
