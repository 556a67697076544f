# SPDX-License-Identifier: Apache-2.0
"""What the benchmarks share: the peers' Python, processes that are timed from outside, quiet rounds."""
import dataclasses
import hashlib
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
HERE = ROOT / "bench"
WORK = ROOT / "build/bench"
RUNG = ROOT / "build/cli/rung"
PHOTOS = ROOT / "build/demo/photos"
GRAPH = ROOT / "build/demo/centerface/centerface.onnx"
PICTURES = (".jpg", ".jpeg", ".png")
CPUS = 2
TICK = os.sysconf("SC_CLK_TCK")
# Load of others, as a share of the CPUs at hand, from which on a round does not count.
NOISE_MAX = 0.05
TRIES_PER_ROUND = 4
EXIT_NOISY = 3


def fail(sentence, status=1):
    print(f"{pathlib.Path(sys.argv[0]).name}: {sentence}", file=sys.stderr)
    sys.exit(status)


def environment(**more):
    """The caller's without what steers rung or ONNX Runtime, and the demo's model and key."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("RUNG_", "ORT_", "OMP_", "PYTHON"))}
    return {**kept, "RUNG_MODEL_PATH": str(ROOT / "build/models"), "RUNG_TRUST_PATH": str(ROOT / "build/trust"),
            "ORT_DISABLE_TELEMETRY": "1", "RUNG_PROBE": "off", **more}


# ---- the peers --------------------------------------------------------------------------------

def python_with(venv, lists, options=(), finish=lambda venv: None):
    """A Python with the packages of these lists, made on the first use and when they change."""
    digest = hashlib.sha256(b"".join(file.read_bytes() for file in lists) + sys.version.encode()).hexdigest()
    stamp = venv / "requirements.sha256"
    if not stamp.exists() or stamp.read_text() != digest:
        print(f"makes the peers' Python in {venv}", file=sys.stderr)
        shutil.rmtree(venv, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", venv], check=True)
        subprocess.run([venv / "bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
                        "--only-binary=:all:", "--require-hashes", *options, *(f"--requirement={file}" for file in lists)],
                       check=True)
        finish(venv)
        stamp.write_text(digest)  # last: what was broken off is made again
    return venv / "bin/python"


def peers_python():
    return python_with(WORK / "venv", [ROOT / "scripts/requirements.txt", HERE / "requirements.txt"])


def peer_folder(name):
    """What peers.tsv takes out of a pinned wheel."""
    wheels = WORK / "wheels"
    subprocess.run([sys.executable, "-B", ROOT / "scripts/lib/wheels.py", HERE / "peers.tsv", wheels, name], check=True)
    (folder,) = wheels.glob(f"{name}-*")
    return folder


def require_demo():
    for file in (RUNG, GRAPH, PHOTOS):
        if not file.exists():
            fail(f"{file} is missing; run scripts/demo first")


def with_texts(spec, folder):
    """The spec with the files that it names beside it as texts."""
    return {name: {"text": (folder / value["file"]).read_text()} if isinstance(value, dict) and "file" in value else value
            for name, value in spec.items()}


def stretch_model(spec=None):
    """The demo's detector, or the form of it that the spec file is of, with the fit `stretch`: signed with the demo's key."""
    source = spec or GRAPH.with_name("spec.json")
    model = WORK / "models/centerface-stretch.rung"
    told = with_texts(json.loads(source.read_text()), source.parent)
    graph = source.parent / told["graph"] if spec else GRAPH
    told.update(fit="stretch", name="centerface-stretch")
    model.parent.mkdir(parents=True, exist_ok=True)
    (model.parent / "spec.json").write_text(json.dumps(told))
    model.unlink(missing_ok=True)
    subprocess.run([RUNG, "pack", model.parent / "spec.json", graph, "-o", model, "--key", ROOT / "build/keys/demo.pem"],
                   check=True, stdout=subprocess.DEVNULL)
    return model


def pictures_of(folder):
    found = sorted(file for file in folder.rglob("*") if file.suffix.lower() in PICTURES and file.is_file())
    return found or fail(f"there are no pictures ({', '.join(PICTURES)}) in {folder}", 2)


# ---- the machine ------------------------------------------------------------------------------

def keep_to_cpus():
    """This process and all that it starts run on the same CPUs; gives those."""
    cpus = sorted(os.sched_getaffinity(0))[:CPUS]
    os.sched_setaffinity(0, cpus)
    return cpus


def own_seconds():
    """CPU time of this process and of the children that have ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


class Load:
    """What others did on these CPUs, theft by other machines included, from here on."""

    def __init__(self, cpus):
        self.cpus = cpus
        self.start = time.monotonic(), self._busy(), own_seconds()

    def _busy(self):
        wanted = {f"cpu{cpu}" for cpu in self.cpus}
        ticks = 0
        for line in pathlib.Path("/proc/stat").read_text().splitlines():
            name, *values = line.split()
            if name in wanted:
                user, nice, system, _idle, _wait, irq, softirq, steal = map(int, values[:8])
                ticks += user + nice + system + irq + softirq + steal
        return ticks / TICK

    def others(self):
        """Share of the CPUs' time; the counters are coarse, so a little less than nothing is nothing."""
        wall, busy, own = (now - then for now, then in zip((time.monotonic(), self._busy(), own_seconds()), self.start))
        return max(0.0, (busy - own) / (wall * len(self.cpus)))


# ---- processes --------------------------------------------------------------------------------

@dataclasses.dataclass
class Timed:
    lines: list  # as text
    arrivals: list  # of each line, seconds from just before the process was started
    cpu_seconds: list  # that the process had used by the arrival of each line, all threads together
    peak_bytes: int


def cpu_seconds_of(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK  # user and system


def run_timed(command, watch=None, **more):
    """Runs to the end, with more of the environment. `watch` is called with the process id after each line."""
    start = time.monotonic()
    process = subprocess.Popen(list(map(os.fspath, command)), stdout=subprocess.PIPE, env=environment(**more))
    lines, arrivals, used, rest = [], [], [], b""
    while data := os.read(process.stdout.fileno(), 1 << 20):
        now = time.monotonic()
        *whole, rest = (rest + data).split(b"\n")
        lines += whole
        arrivals += [now - start] * len(whole)
        used += [cpu_seconds_of(process.pid)] * len(whole)
        if watch:
            watch(process.pid)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        fail(f"{command[0]} ended with status {process.returncode}")
    return Timed([line.decode("utf-8", "surrogateescape") for line in lines], arrivals, used, usage.ru_maxrss * 1024)


def await_quiet(cpus, seconds):
    """Returns when others left the CPUs alone for a second, and after the given time at the latest."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        load = Load(cpus)
        time.sleep(1)
        if load.others() <= NOISE_MAX:
            return


def take_turns(cpus, options, first, second, progress):
    """
    Calls both, the order changed each time, until `options.rounds` of the pairs were quiet or the
    tries are used up. Gives (pairs that count, number of noisy ones, whether enough were quiet).
    """
    quiet, noisy = [], []
    for number in range(options.rounds * TRIES_PER_ROUND):
        await_quiet(cpus, options.wait)
        load = Load(cpus)
        if number % 2 == 0:
            pair = first(), second()
        else:
            pair = (second(), first())[::-1]
        others = load.others()
        (quiet if others <= NOISE_MAX else noisy).append(pair)
        progress(number + 1, pair, others)
        if len(quiet) == options.rounds:
            return quiet, len(noisy), True
    return quiet + noisy, len(noisy), False


def take_rounds(cpus, options, sides, progress):
    """
    Calls each of the sides ({name: callable}) once a round, from another one on each time, until `options.rounds` were
    quiet or the tries are used up. Gives ([{name: value}] of the rounds that count, number of noisy ones, whether enough
    were quiet).
    """
    names = list(sides)
    quiet, noisy = [], []
    for number in range(options.rounds * TRIES_PER_ROUND):
        await_quiet(cpus, options.wait)
        load = Load(cpus)
        first = number % len(names)
        values = {name: sides[name]() for name in names[first:] + names[:first]}
        others = load.others()
        (quiet if others <= NOISE_MAX else noisy).append(values)
        progress(number + 1, values, others)
        if len(quiet) == options.rounds:
            return quiet, len(noisy), True
    return quiet + noisy, len(noisy), False


def add_options(parser, rounds):
    """Those of a benchmark that takes turns."""
    parser.add_argument("--rounds", type=int, default=rounds, help=f"quiet ones ({rounds})")
    parser.add_argument("--wait", type=float, default=0, metavar="SECONDS",
                        help="before each round, for the CPUs to be left alone, at most so long (0)")
    parser.add_argument("--json", action="store_true", help="one JSON object")


# ---- numbers ----------------------------------------------------------------------------------

def spread(values, digits=3):
    """Median and range, for the JSON."""
    return {"median": round(statistics.median(values), digits), "min": round(min(values), digits),
            "max": round(max(values), digits)}


def spread_text(spread, form):
    """The same for people."""
    return f"{spread['median']:{form}} ({spread['min']:{form}}..{spread['max']:{form}})"


def rounds_text(result):
    return (f"{result['rounds']} rounds{'' if result['quiet'] else ', not all of them quiet'}; "
            f"{result['noisy_rounds']} were noisy")


def noise_text(others):
    return f"others {others:.1%}{'' if others <= NOISE_MAX else ': does not count'}"


def finish(result, as_json, show):
    """Prints the result; the exit status of a benchmark."""
    print(json.dumps(result)) if as_json else show(result)
    return EXIT_NOISY if not result["quiet"] else 0 if result["within"] else 1
