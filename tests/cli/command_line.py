# SPDX-License-Identifier: Apache-2.0
"""The helpers of conftest.py here, for tests of other folders: those have a module of that name of their own."""
import importlib.util
import pathlib
import sys

_spec = importlib.util.spec_from_file_location(__name__, pathlib.Path(__file__).with_name("conftest.py"))
_module = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_module)
sys.modules[__name__] = _module
