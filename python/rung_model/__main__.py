# SPDX-License-Identifier: Apache-2.0
"""Release-time work on models: from an exported ONNX graph to a model file that is gated and signed."""

import argparse
import importlib
import io
import signal
import sys

from . import Refusal

# Name of each command, and the module that adds it.
COMMANDS = {
    "fix": "fix_command",
    "convert": "convert_command",
    "import": "importers.command",
    "rewrite": "rewrite.command",
    "quantize": "quantize.command",
    "gate": "gate.command",
    "pack": "pack.command",
    "card": "card.command",
}

REFUSED = 1  # exit status, where a command has no other
SHELL = 128  # what shells add to the number of the signal that ended a program

# What a command may use besides NumPy: the module's name, and the package's.
PACKAGES = {"onnx": "onnx", "onnxruntime": "onnxruntime", "PIL": "pillow", "pycocotools": "pycocotools"}


def package_of(error):
    """The package that an ImportError lacks; None where the mistake is another."""
    return PACKAGES.get((error.name or "").partition(".")[0]) if isinstance(error, ModuleNotFoundError) else None


def needs(command, package):
    return Refusal(f"{command} needs the package {package}, which is not installed; install what all commands need with "
                   "pip install './python[model]' in a clone of Rung")


def add_unusable(commands, name, package):
    """A command whose packages are not there is listed, and says so whatever it is given."""
    def run(_):
        raise needs(name, package)
    one = commands.add_parser(name, help=f"(needs the package {package}, which is not installed)", add_help=False)
    one.set_defaults(run=run, unusable=True)


def add(commands, name, module):
    try:
        importlib.import_module(f".{module}", __package__).add(commands)
    except ImportError as error:
        if package_of(error) is None:
            raise
        add_unusable(commands, name, package_of(error))


def parser(names=tuple(COMMANDS)):
    from rung import __version__  # here, as it brings NumPy, and an interrupt meanwhile is to be met
    top = argparse.ArgumentParser(prog="rung-model", description=__doc__)
    top.add_argument("--version", action="version", version=f"rung-model {__version__}")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name in names:
        add(commands, name, COMMANDS[name])
    return top


def parse(top):
    arguments, unknown = top.parse_known_args()
    if unknown and not getattr(arguments, "unusable", False):
        top.error(f"unrecognized arguments: {' '.join(unknown)}")
    return arguments


def run(arguments):
    try:
        arguments.run(arguments)
    except ImportError as error:  # what is imported late
        if package_of(error) is None:
            raise
        raise needs(arguments.command, package_of(error))


class Terminated(BaseException):
    """As KeyboardInterrupt: it passes what handles mistakes, and folders that were made are taken away on its way."""


def on_termination(*_):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # it is ending
    raise Terminated


class Heard(io.FileIO):
    """Standard output. Where nobody reads it any more what is said is lost, and neither the work nor its exit status."""

    def write(self, data):
        try:
            return super().write(data)
        except BrokenPipeError:
            return len(data)


def heard(stream):
    """Of the process's own; who calls main with another one keeps that."""
    if not stream or stream is not sys.__stdout__:
        return stream
    return io.TextIOWrapper(io.BufferedWriter(Heard(stream.fileno(), "wb", closefd=False)), stream.encoding, stream.errors,
                            line_buffering=stream.line_buffering)


def flush():
    """Now, while what is wrong can be told. Standard output may be closed from the start."""
    try:
        if sys.stdout:
            sys.stdout.flush()
    except OSError as error:
        sys.stdout = None  # or the end of the interpreter would try again
        raise Refusal(f"standard output cannot be written: {error.strerror}") from error


def sentence_of(error):
    """The system has the name of the file apart, and of two the one that is to be is the second."""
    if not isinstance(error, OSError) or not error.strerror:
        return error
    name = error.filename2 or error.filename
    return f"{name}: {error.strerror}" if name else error.strerror


def parsed():
    named = sys.argv[1:2]  # what other commands import takes its time
    return parse(parser(named) if named and named[0] in COMMANDS else parser())


def stop(status):
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    print("rung-model: stopped; what was not finished was not written", file=sys.stderr)
    sys.exit(status)


def main():
    signal.signal(signal.SIGTERM, on_termination)
    refused = REFUSED
    try:
        sys.stdout = heard(sys.stdout)
        try:
            arguments = parsed()
            refused = getattr(arguments, "refused", refused)
            run(arguments)
        finally:
            flush()
    except (Refusal, OSError) as error:
        print(f"rung-model: {sentence_of(error)}", file=sys.stderr)
        sys.exit(refused)
    except KeyboardInterrupt:
        stop(SHELL + signal.SIGINT)
    except Terminated:
        stop(SHELL + signal.SIGTERM)


if __name__ == "__main__":
    main()
