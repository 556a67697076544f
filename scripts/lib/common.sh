# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by the scripts: where the tree lies and how they speak.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
self=${0##*/}
# ONNX Runtime would write a device id and report home (rung sees to it itself).
export ORT_DISABLE_TELEMETRY=1

# fail SENTENCE [STATUS]
fail() {
    printf '%s: %s\n' "$self" "$1" >&2
    exit "${2:-1}"
}

# The comment at the head of the script is its help text.
help() {
    sed -n '3,/^[^#]/{s/^# \{0,1\}//p}' "$0"
    exit 0
}

usage() {
    fail "$1; try $self --help" 2
}

# take_no_options "$@": for scripts that know --help alone.
take_no_options() {
    case ${1-} in
    '') ;;
    -h | --help) help ;;
    *) usage "unknown argument $1" ;;
    esac
}

# The tools' Python, which scripts/setup makes.
venv_python() {
    [[ -x $root/.venv/bin/python ]] || fail "the tools' Python is missing; run scripts/setup first"
    PYTHONPATH=$root/python "$root/.venv/bin/python" -B "$@"
}

# seconds_since START: START is an earlier $EPOCHREALTIME.
seconds_since() {
    awk -v from="$1" -v to="$EPOCHREALTIME" 'BEGIN { printf "%.1f", to - from }'
}

# run_logged LOG COMMAND…: sets `status` rather than return it, since a caller that asks in a
# condition would switch errexit off inside the command.
run_logged() {
    local log=$1
    shift
    mkdir -p "$(dirname "$log")"
    set +e
    (
        set -e
        "$@"
    ) >"$log" 2>&1 </dev/null
    status=$?
    set -e
}

configure_build() { # FOLDER OPTION…
    local folder=$1
    shift
    if [[ -f $folder/build.ninja ]]; then
        [[ $# -eq 0 ]] || meson configure "$folder" "$@"
    else
        meson setup "$folder" "$root" "$@"
    fi
}

# fetch_wheels TABLE FOLDER [NAME…]: see lib/wheels.py.
fetch_wheels() {
    local python=$root/.venv/bin/python
    [[ -x $python ]] || python=python3
    "$python" -B "$root/scripts/lib/wheels.py" "$@"
}

# The demo's photographs and their licence, from a pinned wheel.
fetch_photos() {
    local wheels=$root/build/demo/wheels photos=$root/build/demo/photos
    [[ ! -f $photos/LICENSE.txt ]] || return 0
    fetch_wheels "$root/scripts/demo.tsv" "$wheels" scikit-image
    mkdir -p "$photos"
    cp "$wheels"/scikit-image-*/*.png "$wheels"/scikit-image-*/*.jpg "$photos/"
    cp "$wheels"/scikit-image-*/LICENSE.txt "$photos/"
}

# find_c_files ACTION…: the C files of the tree, for find's actions.
find_c_files() {
    local folder folders=()
    for folder in include src cli probe tests bench examples; do
        [[ ! -d $root/$folder ]] || folders+=("$root/$folder")
    done
    find "${folders[@]}" -name '*.[ch]' "$@"
}
