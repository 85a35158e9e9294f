# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Configuring and building kernels and modules out of tree.

# The kernel that is shown, in OUT-run; and the one that is tested.
FRAGMENTS_RUN=("$LAB/config/$ARCH.config")
FRAGMENTS_TEST=("$LAB/config/$ARCH.config" "$LAB/config/tests.config")
# What the tests' kernel has otherwise on this architecture.
[ ! -f "$LAB/config/tests-$ARCH.config" ] ||
	FRAGMENTS_TEST+=("$LAB/config/tests-$ARCH.config")

# The kernel's image: the name that make knows it by, and where it is built.
case $ARCH in
arm64) IMAGE_TARGET=Image IMAGE_PATH=arch/arm64/boot/Image ;;
*) IMAGE_TARGET=bzImage IMAGE_PATH=arch/x86/boot/bzImage ;;
esac
kernel_image() { echo "$1/$IMAGE_PATH"; }

# kbuild SRC OUT ARGS...: make in a kernel tree, such that equal sources give
# equal objects and the compiler cache finds them again. It goes by the
# dependencies that are written anyway: to preprocess, too, costs a first build a
# third more.
kbuild() {
	local src=$1 out=$2
	shift 2
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u MAKEOVERRIDES \
		CCACHE_BASEDIR="$ROOT" CCACHE_NOHASHDIR=1 \
		CCACHE_DEPEND=1 LOCALVERSION='' \
		KBUILD_BUILD_TIMESTAMP='Sun Nov 17 00:00:00 UTC 2024' \
		KBUILD_BUILD_USER=hooks KBUILD_BUILD_HOST=localhost \
		KBUILD_BUILD_VERSION=1 \
		make -C "$src" O="$out" ARCH="$ARCH" CROSS_COMPILE="$CROSS" \
		CC="ccache ${CROSS}gcc" HOSTCC='ccache gcc' "$@" 8>&- || return
}

# lost_options CONFIG FRAGMENT...: settings of the fragments that .config has
# otherwise; a later fragment wins.
lost_options() {
	local config=$1
	shift
	cat "$@" | awk '
		function value_of(line) {
			return line ~ /^#/ ? "n" : substr(line, index(line, "=") + 1)
		}
		function name_of(line) {
			return line ~ /^#/ ? substr($2, 8) : \
				substr(line, 8, index(line, "=") - 8)
		}
		!/^CONFIG_/ && !/^# CONFIG_.* is not set$/ { next }
		FILENAME == "-" { want[name_of($0)] = value_of($0); next }
		{ have[name_of($0)] = value_of($0) }
		END {
			for (name in want) {
				got = name in have ? have[name] : "n"
				if (got != want[name])
					print "CONFIG_" name ": asked for " want[name] \
						", got " got
			}
		}' - "$config" | sort
}

# configure SRC OUT FRAGMENT...: .config from allnoconfig and the fragments. It
# is written anew only when a fragment or a Kconfig file changed.
configure() {
	local src=$1 out=$2 lost key
	shift 2
	mkdir -p "$out"
	key=$({ cat "$@"; git -C "$src" ls-files -s -- '*Kconfig*'; "${CROSS}gcc" --version; } | sha1sum)
	if [ -f "$out/.config" ] && [ "$key" = "$(cat "$out/.configured" 2>/dev/null)" ]; then
		return
	fi
	rm -f "$out/.configured"
	cat "$@" >"$out/.fragment"
	logged "$LOGS/configure.log" \
		kbuild "$src" "$out" KCONFIG_ALLCONFIG="$out/.fragment" allnoconfig
	lost=$(lost_options "$out/.config" "$@")
	if [ -n "$lost" ]; then
		echo "$lost" >"$LOGS/configure.log"
		fail "options of the configuration did not take effect" "$LOGS/configure.log"
	fi
	echo "$key" >"$out/.configured"
}

# objects_expected OUT FRAGMENT...: of the last whole build, else what the last
# fragment says.
objects_expected() {
	cat "$1/.objects" 2>/dev/null ||
		cat "${@:2}" | sed -n 's/^# objects: //p' | tail -n 1
}

count_objects() { grep -cE '^  (CC|AS|HOSTCC|AR|LD|LDS|GEN)( \[M\])? ' "$1" || true; }

# show_build PID LOG EXPECTED: progress until PID ends; returns its status.
show_build() {
	local built=0 shown=-10
	while kill -0 "$1" 2>/dev/null; do
		sleep 0.5
		built=$(count_objects "$2")
		if [ -t 1 ] || [ $(($(now) - STEP_START)) -ge $((shown + 10)) ]; then
			shown=$(($(now) - STEP_START))
			[ "$built" -eq 0 ] || note "$built of about $3 objects"
		fi
	done
	wait "$1"
}

# kernel_inputs SRC OUT: what the built kernel depends on, in a word.
kernel_inputs() {
	{ git -C "$1" rev-parse 'HEAD^{tree}'; cat "$2/.config"; "${CROSS}gcc" --version; } | sha1sum
}

# build_kernel SRC OUT FRAGMENT...: vmlinux, image and modules.
build_kernel() {
	local src=$1 out=$2 log pid key fresh built
	log=$LOGS/build-${2##*/}.log
	configure "$@"
	key=$(kernel_inputs "$src" "$out")
	if [ "$key" = "$(cat "$out/.built" 2>/dev/null)" ]; then
		step_done "nothing to build"
		return
	fi
	[ -f "$out/.built" ] && fresh=0 || fresh=1
	rm -f "$out/.built"
	: >"$log"
	# What fails here is told once, below.
	{ kbuild "$src" "$out" -j"$JOBS" "$IMAGE_TARGET" modules || exit 1; } \
		>"$log" 2>&1 </dev/null &
	pid=$!
	show_build "$pid" "$log" "$(objects_expected "${@:2}")" ||
		fail "the kernel does not build" "$log"
	! grep -E 'warning: ' "$log" >"$LOGS/warnings.log" ||
		say "      $(wc -l <"$LOGS/warnings.log") compiler warnings, see $log"
	built=$(count_objects "$log")
	[ "$fresh" -eq 0 ] || echo "$built" >"$out/.objects"
	echo "$key" >"$out/.built"
	step_done "built $built objects"
}

# build_modules SRC OUT FROM TO: the module directory FROM, copied to TO so that
# nothing is written into the user's tree, built against the kernel in OUT.
build_modules() {
	local src=$1 out=$2 from=$3 to=$4 log
	log=$LOGS/modules-${4##*/}.log
	mkdir -p "$to"
	copy_changed "$from" "$to"
	if ! kbuild "$src" "$out" M="$to" modules >"$log" 2>&1 </dev/null; then
		fail "the modules of $from do not build" "$log"
	fi
}

# copy_changed FROM TO: sources that differ; those that are gone go.
copy_changed() {
	local path
	(cd "$1" && find . -type f ! -name '.*' -printf '%P\n') >"$2/.sources.new"
	if [ -f "$2/.sources" ]; then
		grep -vxF -f "$2/.sources.new" "$2/.sources" | while IFS= read -r path; do
			rm -f "$2/$path"
		done || true
	fi
	mv "$2/.sources.new" "$2/.sources"
	while IFS= read -r path; do
		cmp -s "$1/$path" "$2/$path" || install -D -m 644 "$1/$path" "$2/$path"
	done <"$2/.sources"
}
