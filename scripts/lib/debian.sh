# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced after common.sh: packages of Debian's archive, unpacked and not installed, also those of
# another architecture. apt-get works with lists and folders of its own; the system's are not touched.

debian_keyring=/usr/share/keyrings/debian-archive-keyring.gpg
debian_temporary=

# private_apt ARCHITECTURE ARGUMENT…
private_apt() {
    local architecture=$1
    shift
    apt-get -q -o Dir::Etc::SourceList="$debian_temporary/sources.list" -o Dir::Etc::SourceParts=/dev/null \
        -o Dir::State="$debian_temporary/state" -o Dir::State::status=/dev/null \
        -o Dir::Cache="$debian_temporary/cache" \
        -o APT::Architecture="$architecture" -o APT::Architectures="$architecture" \
        -o APT::Sandbox::User="$(id -un)" \
        -o Acquire::Languages=none -o Acquire::Retries=3 "$@" >>"$debian_temporary/log" 2>&1 </dev/null ||
        {
            tail -n 20 "$debian_temporary/log" >&2
            fail "apt-get could not $1 from Debian's archive; its reason stands above" 5
        }
}

write_debian_sources() { # SUITE…
    local suite
    for suite in "$@"; do
        printf 'deb [signed-by=%s] http://deb.debian.org/debian %s main\n' "$debian_keyring" "$suite"
    done >"$debian_temporary/sources.list"
    mkdir -p "$debian_temporary"/{state/lists/partial,cache/archives/partial,packages,files}
}

# unpack_debian PACKAGE SHA256: the one file of it that was downloaded.
unpack_debian() {
    local files=("$debian_temporary/packages/$1"_*.deb) digest
    digest=$(sha256sum <"${files[0]}" | cut -d ' ' -f 1)
    [[ $digest == "$2" ]] ||
        fail "${files[0]##*/} is not the pinned package and was thrown away: its SHA-256 is $digest, the table says $2" 4
    dpkg-deb --extract "${files[0]}" "$debian_temporary/files"
}

# Whether FOLDER holds what TABLE says.
has_debian() { # TABLE FOLDER
    local stamp
    stamp=$(sha256sum <"$1" | cut -d ' ' -f 1)
    [[ -f $2/table.sha256 && $(<"$2/table.sha256") == "$stamp" ]]
}

# fetch_debian TABLE FOLDER ARCHITECTURE SUITE…: unpacks the packages of TABLE (name, version,
# SHA-256) into FOLDER. One whose SHA-256 is not the pinned one is thrown away (exit 4).
fetch_debian() {
    local table=$1 folder=$2 architecture=$3 parent program package number digest wanted=()
    shift 3
    [[ -r $debian_keyring ]] || fail "there is no $debian_keyring, which Debian's archive is checked with (package debian-archive-keyring)" 5
    for program in apt-get dpkg-deb; do
        command -v "$program" >/dev/null || fail "$program is missing; this needs Debian or a system like it" 5
    done
    parent=$(dirname "$folder")
    mkdir -p "$parent"
    debian_temporary=$(mktemp -d "$parent/.fetch-XXXXXX")
    trap 'rm -rf "$debian_temporary"' EXIT
    write_debian_sources "$@"
    private_apt "$architecture" update
    while IFS=$'\t' read -r package number _; do
        wanted+=("$package=$number")
    done < <(sed 1d "$table")
    (cd "$debian_temporary/packages" && private_apt "$architecture" download "${wanted[@]}")
    while IFS=$'\t' read -r package _ digest; do
        unpack_debian "$package" "$digest"
    done < <(sed 1d "$table")
    sha256sum <"$table" | cut -d ' ' -f 1 >"$debian_temporary/files/table.sha256"
    rm -rf "$folder"
    mv "$debian_temporary/files" "$folder"
}
