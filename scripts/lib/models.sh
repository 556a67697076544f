# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
# Sourced, after common.sh, by the scripts that make model files of the demo's key.

rung=$root/build/cli/rung
key=$root/build/keys/demo.pem
public_key=$root/build/trust/demo.pub.pem

require_rung() {
    [[ -x $rung ]] || fail "the rung program is missing; build it first: scripts/demo does"
}

make_keys() {
    [[ ! -f $key || ! -f $public_key ]] || return 0
    mkdir -p "${public_key%/*}" "${key%/*}"
    chmod 0700 "${key%/*}"
    rm -f "$key" "$public_key"
    "$rung" keygen "$key" "$public_key" >/dev/null
}

is_current() { # MODEL STAMP DIGEST
    [[ -f $1 && -f $2 && $(<"$2") == "$3" ]] &&
        "$rung" verify "$1" --trust "$public_key" >/dev/null 2>&1
}

check_published() { # GRAPH SUMS: the one checksum of the file SUMS
    local digest expected
    read -r expected _ <"$2"
    digest=$(sha256sum <"$1" | cut -d ' ' -f 1)
    [[ $digest == "$expected" ]] ||
        fail "$1 is not the pinned graph: its SHA-256 is $digest, SHA256SUMS says $expected" 4
}
