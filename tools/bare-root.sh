# shellcheck shell=bash disable=SC2154 # $root and $release are the caller's
# A bare root of a Debian release as a separate machine, for tools/check-bare and tools/check-deb, which read this file. It needs root,
# debootstrap and Debian's mirror. $root is the root's folder and $release the release; say is the caller's.

# inside USER COMMAND [ARGUMENT...]: runs a command in the root as on a separate machine. Of this machine's
# variables only those for network access are passed. Not by chroot, in which user namespaces cannot be
# created.
inside() {
    local user=$1 home=/home/$1 name variables=()
    shift
    [ "$user" != root ] || home=/root
    for name in http_proxy https_proxy no_proxy PIP_INDEX_URL PIP_EXTRA_INDEX_URL PIP_TRUSTED_HOST; do
        [ -z "${!name-}" ] || variables+=("$name=${!name}")
    done
    [ ! -e "$root/var/tmp/certificates" ] || variables+=(PIP_CERT=/var/tmp/certificates)
    # shellcheck disable=SC2016 # expanded by the inner shell
    unshare --mount --pid --fork --kill-child ${network:+--net} sh -ec '
        mount --bind "$1" "$1"
        cd "$1"
        mount -t proc proc proc
        mount --rbind /dev dev
        mount --rbind /sys sys
        mount -t tmpfs tmpfs tmp -o mode=1777
        pivot_root . .
        umount -l .
        cd /
        shift
        exec "$@"' sh "$root" setpriv --reuid "$user" --regid "$user" --init-groups \
        env -i --chdir="$home" PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin HOME="$home" USER="$user" TERM=dumb "${variables[@]}" \
        "$@" </dev/null
}
install() { inside root env DEBIAN_FRONTEND=noninteractive apt-get -y -q --no-install-recommends install "$@" >"$root/var/tmp/log" 2>&1 || { tail -n 20 "$root/var/tmp/log"; return 1; }; }

# The mirrors of Debian and of its security updates, as configured in this machine's apt.
archive() { # archive PATTERN
    # shellcheck disable=SC2016 # the variables are apt's
    apt-get indextargets --format '$(RELEASE) $(REPO_URI)' 'Created-By: Packages' | sed -nE "s/^($1) //p" | head -n 1
}

# Unpacks the release's smallest system, whose apt knows its packages.
unpack_root() {
    local mirror security
    mirror=$(archive 'bookworm|trixie|forky|oldstable|stable|testing')
    security=$(archive '[a-z]+-security')
    [ -n "$mirror" ] || { say 'apt has no source of Debian'; return 1; }
    debootstrap --variant=minbase "$release" "$root" "$mirror" >"$root.log" 2>&1 || { tail "$root.log"; return 1; }
    rm -f "$root.log"
    {
        printf 'deb %s %s main\n' "$mirror" "$release" "$mirror" "$release-updates"
        [ -z "$security" ] || printf 'deb %s %s-security main\n' "$security" "$release"
    } >"$root/etc/apt/sources.list"
    apt-config dump | grep -E '^Acquire::(http|https)::Proxy' >"$root/etc/apt/apt.conf.d/00proxy"
    cp -L /etc/resolv.conf "$root/etc/resolv.conf"
    [ -z "${PIP_CERT-}" ] || cp -L "$PIP_CERT" "$root/var/tmp/certificates"
    inside root apt-get -q update >/dev/null
}

# Records the state of the system: packages with versions and states, held packages, every file of /etc and
# of the folders in which packages have no files.
snapshot() { # snapshot FILE
    inside root sh -c "dpkg-query -W -f 'package \${binary:Package} \${Version} \${db:Status-Abbrev}\n'
        apt-mark showhold | sed 's/^/held /'
        find /etc /usr/local /opt /srv /root ! -type d -exec sh -c '
            for file; do printf \"file %s %s\n\" \"\$file\" \"\$(readlink \"\$file\" || sha256sum <\"\$file\")\"; done' sh {} +" |
        LC_ALL=C sort >"$1"
}
