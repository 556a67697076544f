# SPDX-License-Identifier: Apache-2.0
"""A page about one model with all its forms: where it comes from, its licence, sizes and digests, what its gates measured, and with
--time what serves on this device and how long it takes. Without --time the same files give the same page."""
