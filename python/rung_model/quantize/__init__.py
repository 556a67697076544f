# SPDX-License-Identifier: Apache-2.0
"""Makes a quantised form of a model: calibrated on photographs as the device will see them, weights per channel, row
builders and attention in float."""
