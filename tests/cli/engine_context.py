# SPDX-License-Identifier: Apache-2.0
"""An engine of qnn-htp as a build would have left it: the model itself stands for what QNN makes of it."""
import hashlib
import json


def write_engine(engines, model, lines):
    """Into the folder of the engines, for a device that these lines describe."""
    artifact = hashlib.sha256(model).hexdigest()
    fingerprint = hashlib.sha256("".join(f"{line}\n" for line in lines).encode()).hexdigest()
    engine = engines / f"qnn-htp-i8-{artifact[:32]}-{fingerprint[:16]}"
    (engine / "files").mkdir(parents=True)
    for made in (engines, engines.parent, engines.parent.parent):
        made.chmod(0o700)
    (engine / "files" / "context.onnx").write_bytes(model)
    file = {"path": "context.onnx", "size": len(model), "sha256": artifact}
    record = {"schema": 1, "rung": "qnn-htp", "precision": "i8", "artifact": artifact, "fingerprint": fingerprint,
              "model": "quantised", "built": 1, "files": [file]}
    (engine / "record.json").write_text(json.dumps(record))
    return engine
