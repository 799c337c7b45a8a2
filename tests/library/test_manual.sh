#!/bin/sh
# The manual page and bash's completion know every command and every option that --help names, and no others. Completion
# offers what fits.
#
#   test_manual.sh LAVABLAS MANUAL COMPLETION
set -eu
tool=$1
manual=$2
completion=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0

fail() {
    echo "FAILED: $*"
    failed=1
}

# Without the manual's marks.
sed 's/\\-/-/g; s/\\f[BIR]//g' "$manual" >"$folder/manual"
commands=$("$tool" --help | sed -n 's/^  \([a-z]*\) .*/\1/p')
[ "$(echo "$commands" | wc -l)" -ge 10 ] || fail "commands: $commands"
: >"$folder/known"
for command in $commands; do
    grep -Eq "^\.SS .*\b$command\b" "$folder/manual" || fail "the manual has no command $command"
    "$tool" "$command" --help >"$folder/help"
    # shellcheck disable=SC2013 # options are words
    for option in $(grep -o -e '--[a-z][a-z-]*' "$folder/help" | sort -u); do
        echo "$option" >>"$folder/known"
        grep -q -e "$option\b" "$folder/manual" || fail "the manual has no $option of $command"
        # shellcheck disable=SC2016 # bash's variables
        bash -c '. "$1"; COMP_WORDS=(lavablas "$2" "$3"); COMP_CWORD=2; _lavablas; printf "%s\n" "${COMPREPLY[@]}"' - "$completion" \
            "$command" "$option" | grep -qxF -e "$option" || fail "completion has no $option of $command"
    done
    # shellcheck disable=SC2016
    bash -c '. "$1"; COMP_WORDS=(lavablas "$2"); COMP_CWORD=1; _lavablas; printf "%s\n" "${COMPREPLY[@]}"' - "$completion" "$command" |
        grep -qxF "$command" || fail "completion has no command $command"
done
# shellcheck disable=SC2013
for option in $(grep -o -e '--[a-z][a-z-]*' "$completion" | sort -u); do
    case $option in --help | --version) continue ;; esac
    grep -qxF -e "$option" "$folder/known" || fail "no command has $option, but completion does"
done
# shellcheck disable=SC2013
for option in $(grep -o -e '--[a-z][a-z-]*' "$folder/manual" | sort -u); do
    [ "$option" = --help ] || grep -qxF -e "$option" "$folder/known" || fail "no command has $option, but the manual does"
done
# shellcheck disable=SC2016
values=$(bash -c '. "$1"; COMP_WORDS=(lavablas run --mode ""); COMP_CWORD=3; _lavablas; echo "${COMPREPLY[@]}"' - "$completion")
[ "$values" = 'auto cpu gpu' ] || fail "values of --mode: $values"
exit $failed
