# SPDX-License-Identifier: Apache-2.0
"""What is told about the commands is told the same everywhere: --help, manual pages, completions, suggestions."""
import fcntl
import os
import pty
import re
import shutil
import struct
import subprocess
import termios

import pytest
import tiny
from conftest import BUILD, RUNG, clean_environment, run, sentence

SHELLS = ["bash", "zsh", "fish"]


def listed():
    """The names of the commands, from rung --help."""
    part = run("--help").out.split("commands:\n")[1].split("\n\n")[0]
    return re.findall(r"^  (\w+) ", part, re.MULTILINE)


COMMANDS = listed() if RUNG.exists() else []


def help_options(command):
    """(letter, name, value) of each option of --help."""
    text = run(command, "--help").out.split("\noptions:\n")[1].split("\n\n")[0]
    return re.findall(r"^  (?:-(\w), |    )--([\w-]+)(?: (\S+))?(?:  |$)", text, re.MULTILINE)


def man_options(page):
    part = page.split(".SH OPTIONS\n")[1].split(".SH ")[0]
    heads = re.findall(r"^\.TP\n(.*)$", part, re.MULTILINE)
    plain = [re.sub(r"\\f[BRI]", "", head).replace("\\-", "-") for head in heads]
    return [re.fullmatch(r"(?:-(\w), )?--([\w-]+)(?: (\S+))?", line).groups("") for line in plain]


def tool(name):
    if not shutil.which(name):
        pytest.skip(f"{name} is not installed; scripts/setup --tests brings it")
    return name


@pytest.fixture(scope="module")
def script(tmp_path_factory):
    """The path of a shell's completions."""
    folder = tmp_path_factory.mktemp("completions")

    def write(shell):
        path = folder / {"zsh": "_rung"}.get(shell, f"rung.{shell}")
        path.write_text(run("help", "--completion", shell).out)
        return path
    return write


def test_the_list_is_printed_whichever_way_it_is_asked_for():
    assert run("--help").out == run("help").out == run("-h").out
    assert len(COMMANDS) > 10
    nothing = run(status=2)
    assert nothing.err == run("--help").out and not nothing.out


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_a_command_is_its_own_help(command):
    text = run(command, "--help").out
    assert run("help", command).out == text == run(command, "-h").out
    assert text.startswith(f"usage: rung {command}")
    options = help_options(command)
    assert options and options[-1] == ("h", "help", "")
    assert len(re.findall(r"^ +(?:-\w, )?--", text.split("\noptions:\n")[1].split("\n\n")[0], re.MULTILINE)) == len(options)


@pytest.mark.parametrize("topic", [*COMMANDS, "environment", "exit", None])
def test_help_fits_into_80_columns(topic):
    text = run("help", topic).out if topic else run("--help").out
    assert not [line for line in text.splitlines() if len(line) > 80]
    assert not [line for line in text.splitlines() if line.endswith(" ")]


def on_a_terminal(columns, *arguments):
    """What rung prints on a terminal of that width."""
    ours, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    subprocess.run([RUNG, *arguments], stdout=its, check=True, env=clean_environment(), timeout=60)
    os.close(its)
    text = b""
    try:
        while part := os.read(ours, 65536):
            text += part
    except OSError:  # Linux says so at the end
        pass
    os.close(ours)
    return text.decode().replace("\r\n", "\n")


@pytest.mark.parametrize("columns", [60, 100])
def test_help_is_as_wide_as_the_terminal(columns):
    text = on_a_terminal(columns, "models", "--help")
    prose = text.split("\n\nexamples:")[0]
    assert max(map(len, prose.splitlines())) in range(columns - 12, columns + 1)
    assert prose.split() == run("models", "--help").out.split("\n\nexamples:")[0].split()


def test_texts_stand_beside_options():
    text = run("models", "--help").out
    column = text.split("--json")[1].index("machine-readable") + len("      --json")
    following = text.split("one a line, and\n")[1].splitlines()[0]
    assert following.index("nothing") == column


@pytest.mark.parametrize("command", COMMANDS)
def test_a_manual_page_has_the_options_of_help(command):
    page = run("help", "--man", command).out
    assert man_options(page) == help_options(command)
    assert page.startswith(f".TH RUNG\\-{command.upper()} 1 ")
    for section in ("NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "SEE ALSO"):
        assert f"\n.SH {section}\n" in page
    related = re.findall(r"^\.BR rung\\-(\w+)", page.split(".SH SEE ALSO\n")[1], re.MULTILINE)
    assert set(related) <= set(COMMANDS) - {command}


def test_the_manual_page_of_rung_lists_all_commands_and_variables():
    page = run("help", "--man").out
    assert re.findall(r"^\.BR rung\\-(\w+)", page.split(".SH COMMANDS")[1].split(".SH ")[0], re.MULTILINE) == COMMANDS
    assert run("help", "--man", "environment").out == page
    variables = re.findall(r"^([A-Z_]+) ", run("help", "environment").out, re.MULTILINE)
    assert len(variables) > 5 and all(f"\\fB{variable}\\fR" in page for variable in variables)


@pytest.mark.parametrize("command", [*COMMANDS, None])
def test_a_manual_page_is_sound_roff(command, tmp_path):
    page = tmp_path / "page.1"
    page.write_text(run("help", "--man", *filter(None, [command])).out)
    result = subprocess.run([tool("groff"), "-man", "-Tutf8", "-ww", "-z", page], capture_output=True, text=True,
                            check=True)
    assert not result.stderr


def test_what_is_copied_from_a_page_is_what_was_meant(tmp_path):
    page = tmp_path / "page.1"
    page.write_text(run("help", "--man", "digest").out)
    text = subprocess.run([tool("groff"), "-man", "-Tutf8", "-P-c", "-P-b", "-P-u", page], capture_output=True, text=True,
                          check=True).stdout
    assert "    openssl dgst -sha256 -sign key.pem -out signature message\n" in text
    assert "rung digest model.rung --public-key key.pub.pem --message message\n" in text


def test_the_build_makes_a_page_for_each_command():
    pages = {path.name for path in (BUILD / "cli").glob("rung*.1")}
    if not pages:
        pytest.skip("the built program does not run on the machine that builds it")
    assert pages == {"rung.1", *(f"rung-{command}.1" for command in COMMANDS)}
    for command in COMMANDS:
        assert (BUILD / "cli" / f"rung-{command}.1").read_text() == run("help", "--man", command).out


def complete(script, *words, environment=None):
    """What bash offers for the last of the words."""
    program = ('source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _rung; '
               '[[ ${#COMPREPLY[@]} -eq 0 ]] || printf "%s\\n" "${COMPREPLY[@]}"')
    result = subprocess.run([tool("bash"), "--norc", "-u", "-c", program, "bash", script("bash"), RUNG, *words],
                            capture_output=True, text=True, check=True, env=environment or clean_environment())
    assert not result.stderr
    return result.stdout.splitlines()


def test_bash_offers_the_commands(script):
    assert complete(script, "") == [*COMMANDS, "--help", "--version"]
    assert complete(script, "ver") == ["verify"]
    assert complete(script, "nonsense", "") == []


@pytest.mark.parametrize("command", COMMANDS)
def test_bash_offers_the_options_of_each_command(script, command):
    assert complete(script, command, "-") == ["--" + name for _, name, _ in help_options(command)]


def test_bash_offers_what_a_value_can_be(script, tmp_path, keys):
    (tmp_path / "models").mkdir()
    (tmp_path / "other").mkdir()
    model = tmp_path / "models" / "tiny.rung"
    run("pack", tiny.spec(tmp_path / "spec.json"), tiny.graph(tmp_path / "tiny.onnx"), "-o", model, "--key",
        keys / "key.pem")
    shutil.copy(model, tmp_path / "a model.rung")
    environment = clean_environment(RUNG_MODEL_PATH=str(tmp_path / "models"))
    assert complete(script, "help", "--completion", "") == SHELLS
    assert complete(script, "help", "--completion", "=", "z") == ["zsh"]
    assert complete(script, "help", "--completion", "=") == SHELLS
    assert complete(script, "help", "ex") == ["explain", "exit"]
    assert "tiny" in complete(script, "explain", "-m", "t", environment=environment)
    found = complete(script, "explain", "--model", f"{tmp_path}/", environment=environment)
    assert f"{tmp_path}/a model.rung" in found and f"{tmp_path}/models" in found
    assert f"{tmp_path}/spec.json" not in found
    assert sorted(complete(script, "models", f"{tmp_path}/")) == [f"{tmp_path}/models", f"{tmp_path}/other"]
    assert f"{tmp_path}/spec.json" in complete(script, "pack", f"{tmp_path}/")
    assert complete(script, "explain", "--rung", "d") == ["dummy"]
    assert complete(script, "engines", "") == ["list", "build", "verify", "clear", "export"]
    assert "tiny" in complete(script, "engines", "build", "t", environment=environment)


def test_zsh_takes_its_completions(script):
    path = script("zsh")
    subprocess.run([tool("zsh"), "-f", "-n", path], check=True)
    known = subprocess.run(["zsh", "-f", "-c", 'autoload -Uz compinit; compinit -u -D; source "$1"; print $_comps[rung]',
                            "zsh", path], capture_output=True, text=True, check=True)
    assert known.stdout == "_rung\n" and not known.stderr


def test_fish_offers_commands_and_options(script, tmp_path):
    path = script("fish")
    environment = clean_environment(HOME=str(tmp_path), PATH=f"{RUNG.parent}:{os.environ['PATH']}")

    def offers(line):
        result = subprocess.run([tool("fish"), "--no-config", "-c", 'source $argv[1]; complete -C $argv[2]', path, line],
                                capture_output=True, text=True, check=True, env=environment)
        assert not result.stderr
        return [offer.split("\t")[0] for offer in result.stdout.splitlines()]

    subprocess.run([tool("fish"), "--no-config", "--no-execute", path], check=True, env=environment)
    assert sorted(offers("rung ")) == sorted(COMMANDS)
    assert offers("rung verify --al") == ["--allow-unsigned"]
    assert offers("rung help --completion z") == ["zsh"]
    assert offers("rung help exi") == ["exit"]
    assert {"list", "build", "verify", "clear", "export"} <= set(offers("rung engines "))


@pytest.mark.parametrize("typed,meant", [
    ("detcet", "detect"), ("verfy", "verify"), ("model", "models"), ("exlpian", "explain"), ("Sign", "sign")])
def test_a_mistyped_command_is_recognised(typed, meant):
    assert f"did you mean {meant}?" in sentence(run(typed, status=2))
    assert f"did you mean {meant}?" in sentence(run("help", typed, status=2))


@pytest.mark.parametrize("typed", ["x", "frobnicate", "", "d" * 5000])
def test_what_is_like_nothing_gets_no_suggestion(typed):
    assert "did you mean" not in sentence(run(typed, status=2))


@pytest.mark.parametrize("arguments,said", [
    (["verify", "--jsno"], "did you mean --json?"), (["verify", "--alow-unsigned=1"], "did you mean --allow-unsigned?"),
    (["verify", "--hlep"], "did you mean --help?"), (["explain", "--ru"], "it could be --rung, --runtime"),
    (["verify", "--nothing-like-it"], "unknown option --nothing-like-it;"), (["verify", "-vz"], "unknown option -z"),
    (["verify", "--json=1"], "--json takes no value"), (["pack", "-o"], "a value is missing after -o"),
    (["help", "--completion", "tcsh"], 'takes bash, zsh or fish, not "tcsh"')])
def test_a_mistyped_option_is_told_in_one_sentence(arguments, said):
    assert said in sentence(run(*arguments, status=2))
