# SPDX-License-Identifier: Apache-2.0
"""Compares a form of a model with the model in f32 on photographs, by the program rung on the rung where it is to run,
and writes what was measured into the form's gate record."""
