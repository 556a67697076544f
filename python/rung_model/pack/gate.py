# SPDX-License-Identifier: Apache-2.0
"""Whether the gate record in a model file lets it ship. What is judged is what was packed."""

from .. import Refusal
from ..gate import advice
from ..specs import objects_of

UNSAFE = "unsafe_no_gate"
HANDLING = "handling"  # of what is known of a packed file: handling.digest
STEP = 1 / 65535  # of the confidences in a model file
ANYWAY = "--unsafe-no-gate packs it nevertheless, and says so in the file"


def number(value):
    return f"{value:.4g}" if isinstance(value, (int, float)) and not isinstance(value, bool) else "nothing"


def payload_of(info):
    """The digest that a measurement of this file has; that of an engine is the model's that it was compiled from."""
    return info["device"]["artifact"] if info["kind"] == "engine" else info["digest"]


def entries_of(info):
    """The measurements of this payload, and how many there are of any."""
    record = info.get("gate")
    gates = objects_of(record.get("gates")) if isinstance(record, dict) else []
    return [gate for gate in gates if gate.get("artifact") == payload_of(info)], len(gates)


def threshold_of(info):
    return info.get("selection", {}).get("min_confidence")


def is_of_this_threshold(gate, info):
    """Targets were counted as a threshold left them; with another one it is another measurement."""
    measured, own = gate.get("min_confidence"), threshold_of(info)
    if info["role"] != "detector":
        return True
    return isinstance(measured, (int, float)) and not isinstance(measured, bool) and abs(measured - own) <= STEP


def is_of_this_handling(gate, info):
    """An entry of `rung gate` itself does not tell."""
    return gate.get("spec") in (None, info[HANDLING])


def has_passed(info):
    return any(gate.get("passed") is True and is_of_this_threshold(gate, info) and is_of_this_handling(gate, info)
               for gate in entries_of(info)[0])


def checks_missed(gate):
    return [check for check in objects_of(gate.get("checks")) if check.get("passed") is not True]


def missed_of(gate):
    told = [f"{check.get('name')} {number(check.get('value'))}, at least {number(check.get('least'))}" for check in checks_missed(gate)]
    return f"it missed on {gate.get('rung')}: {'; '.join(told) or 'no check is told'}"


def advice_for(missed):
    """As `rung-model gate` gives it."""
    checks = [{"name": str(check.get("name")), "passed": False} for gate in missed for check in checks_missed(gate)]
    return "; ".join(advice.of({"checks": checks})) or "quantise it otherwise (another --form, --float, --float-worst)"


def why_not(info):
    """What a form lacks to be shipped, and what to do."""
    entries, all_of_them = entries_of(info)
    missed = [gate for gate in entries if gate.get("passed") is not True]
    if missed:
        return f"{'; '.join(map(missed_of, missed))}. To do: {advice_for(missed)}; then measure it again with rung-model gate"
    if entries and not is_of_this_threshold(entries[0], info):
        return f"it passed with min_confidence {number(entries[0].get('min_confidence'))}, and its spec has " \
               f"{number(threshold_of(info))}. Measure it as it is with rung-model gate"
    if entries:
        return "it passed with another spec (order, scale, fit, selection, …) than it has now. Measure it as it is with rung-model gate"
    if all_of_them:
        return f"its gate record has {all_of_them} measurements of other payloads, and none of this one, " \
               f"{payload_of(info)[:16]}…. Measure it with rung-model gate"
    return "its gate record has no measurement. Measure it with rung-model gate"


def must_have_passed(info, spec):
    if info["form"] != "f32" and not has_passed(info):
        raise Refusal(f"{spec}: {info['name']} in {info['form']} is not packed: {why_not(info)}; {ANYWAY}")
