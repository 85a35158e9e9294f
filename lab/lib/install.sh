# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# The Debian packages that the lab needs, installed only where missing.

PACKAGES=(build-essential flex bison bc libelf-dev cpio xz-utils perl git
	  ccache busybox-static pahole linux-source-6.12)
PACKAGES_x86_64=(qemu-system-x86)

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
		step_done "all packages are there"
		return
	fi
	note "installing ${missing[*]}"
	export DEBIAN_FRONTEND=noninteractive
	as_root apt-get update >"$log" 2>&1 </dev/null ||
		fail "apt-get update failed" "$log"
	as_root apt-get install -y --no-install-recommends "${missing[@]}" \
		>>"$log" 2>&1 </dev/null || fail "apt-get install failed" "$log"
	step_done "installed ${#missing[@]} packages"
}
