# SPDX-License-Identifier: Apache-2.0
"""The forms that a model is quantised to."""

import dataclasses

from .. import Refusal

LEAST_PHOTOGRAPHS = 64


@dataclasses.dataclass(frozen=True)
class Form:
    name: str
    precision: str  # what its operations compute in, as records of gates say it
    activations: str  # types, as ONNX calls them
    weights: str

    @property
    def is_wide(self):
        """Whether it needs numbers of 16 bits, which ONNX's own QuantizeLinear has from opset 21 on."""
        return self.activations == "UINT16"


# Activations are unsigned: with signed ones ONNX Runtime's CPU kernels are slow.
FORMS = {form.name: form for form in (
    Form("int8", "i8", "UINT8", "INT8"),
    Form("a16w8", "a16w8", "UINT16", "INT8"),
    Form("a16w16", "a16w16", "UINT16", "INT16"),
)}
FOUR_BITS = ("weights of 4 bits wreck detectors: boxes move and small targets are gone, whatever they are calibrated on; "
             "take int8, or a16w8 on devices that are made for it")


def form_of(name):
    if name.endswith("4"):
        raise Refusal(f"there is no form {name}: {FOUR_BITS}")
    if name not in FORMS:
        raise Refusal(f"there is no form {name}; there are {', '.join(FORMS)}")
    return FORMS[name]


def check_weight_bits(bits, form):
    """None: as many as the form has."""
    if bits == 4:
        raise Refusal(FOUR_BITS)
    if bits not in (None, 7, 8):
        raise Refusal(f"there are no weights of {bits} bits; --weight-bits takes 7 and 8")
    if bits is not None and form.weights != "INT8":
        raise Refusal(f"--weight-bits is for forms with weights of 8 bits; {form.name} has others")
