# SPDX-License-Identifier: Apache-2.0
"""Makes a signed model file of a spec and a graph, by `rung pack`. A form that is not f32 is packed only when its gate
record says that this very payload passed a gate."""
