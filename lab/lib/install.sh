# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# The Debian packages that the lab needs, installed only where missing.

PACKAGES=(build-essential flex bison bc libelf-dev cpio xz-utils perl git
	  ccache busybox-static pahole linux-source-6.12)
PACKAGES_x86_64=(qemu-system-x86)
PACKAGES_arm64=(qemu-system-arm gcc-aarch64-linux-gnu libc6-dev-arm64-cross)

# missing_packages NAME...: those that are not installed.
missing_packages() {
	local installed name
	installed=$(dpkg-query -W -f '${Status} ${Package}\n' "$@" 2>/dev/null |
		    sed -n 's/^install ok installed //p' || true)
	for name in "$@"; do
		grep -qxF -- "$name" <<<"$installed" || echo "$name"
	done
}

as_root() {
	if [ "$(id -u)" -eq 0 ]; then
		"$@"
	elif command -v sudo >/dev/null; then
		sudo -E "$@"
	else
		fail "installing packages needs root or sudo"
	fi
}

# install_packages [EXTRA...]: what every command needs, and EXTRA.
install_packages() {
	local -n of_arch=PACKAGES_$ARCH
	local missing log=$LOGS/install.log
	command -v dpkg-query >/dev/null ||
		fail "this is not Debian: dpkg-query is missing"
	mapfile -t missing < <(missing_packages "${PACKAGES[@]}" "${of_arch[@]}" "$@")
	if [ ${#missing[@]} -eq 0 ]; then
		[ -z "$CROSS" ] || foreign_busybox
		step_done "all packages are there"
		return
	fi
	note "installing ${missing[*]}"
	export DEBIAN_FRONTEND=noninteractive
	as_root apt-get update >"$log" 2>&1 </dev/null ||
		fail "apt-get update failed" "$log"
	as_root apt-get install -y --no-install-recommends "${missing[@]}" \
		>>"$log" 2>&1 </dev/null || fail "apt-get install failed" "$log"
	[ -z "$CROSS" ] || foreign_busybox
	step_done "installed ${#missing[@]} packages"
}

# apt_of_arch ARGS...: apt-get for the guests' architecture, with lists of its
# own. Nothing is installed: two busybox-static exclude each other.
apt_of_arch() {
	local state=$BUILD/apt-$ARCH
	mkdir -p "$state"/{lists,archives}/partial
	apt-get -o APT::Architecture="$ARCH" -o APT::Architectures="$ARCH" \
		-o Dir::State::lists="$state/lists" -o Dir::State::status=/dev/null \
		-o Dir::Cache="$state" -o APT::Sandbox::User="$(id -un)" "$@"
}

# foreign_busybox: busybox of the guests' architecture, in BUSYBOX.
foreign_busybox() {
	local dir=$BUILD/busybox-$ARCH log=$LOGS/busybox.log
	BUSYBOX=$dir/bin/busybox
	[ ! -x "$BUSYBOX" ] || return 0
	mkdir -p "$dir"
	note "fetching busybox-static of $ARCH"
	(cd "$dir" && apt_of_arch update && apt_of_arch download busybox-static &&
	 dpkg -x busybox-static_*.deb .) >"$log" 2>&1 </dev/null ||
		fail "busybox-static of $ARCH cannot be had" "$log"
}
