# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# build/linux: a git tree whose first commit is the base's source and which has
# one commit for each patch of series/order. A patch is a directory of series/:
#
#   message   subject and body of the commit
#   files     what it brings, one a line: a path or a glob of the repository
#             (`*` stays within a directory, `**` does not, a final `/` means
#             all below), copied to the same path in Linux; `-path` removes a
#             file of the base; `+MAINTAINERS` puts the repository's entry
#             where the alphabet wants it in Linux's file
#   *.diff    edits to files of the base, applied strictly
#
# Each kernel-tree file of the repository belongs to exactly one patch (with
# DRAFT=1, for work in progress, the lab only says where that fails). What is
# composed are the files as they are in the work tree, committed or not. Only
# files that change are written to build/linux, so that builds stay incremental.

COMPOSE=$BUILD/compose
SERIES=$ROOT/series
SERIES_DATE='2024-11-17T00:00:00Z'
KERNEL_DIRS=(Documentation arch include kernel lib samples tools)

linux_git() { git -C "$LINUX" "$@"; }

base_field() { sed -n "s/^$1 //p" "$SERIES/base"; }

# base_id: tells one base archive from another.
base_id() {
	local archive
	archive=$(base_field archive)
	[ -f "$archive" ] || fail "$archive is missing: is $(base_field package) installed?"
	dpkg-query -W -f '${Package} ${Version} ' "$(base_field package)" 2>/dev/null || true
	stat -c '%s %Y' "$archive"
}

# linux_version DIR: the version that a kernel tree's Makefile names.
linux_version() {
	sed -n 's/^\(VERSION\|PATCHLEVEL\|SUBLEVEL\) = //p' "$1/Makefile" |
		paste -sd.
}

# unpack_base DIR: archive → DIR with a git index of it. git reads each file
# while it is still in the page cache and tar goes on with the next: the names
# come one file late, so that only complete ones are read (-P: else tar leaves
# symbolic links for the end).
unpack_base() {
	local dir=$1 key
	mkdir -p "$dir"
	git init -q -b series "$dir"
	for key in core.compression=0 core.autocrlf=false core.fsync=none \
		   gc.auto=0 maintenance.auto=false core.preloadIndex=true; do
		git -C "$dir" config "${key%=*}" "${key#*=}"
	done
	tar -xPJvf "$(base_field archive)" -C "$dir" --strip-components=1 \
		--show-transformed-names |
		awk '/\/$/ || $0 == "" { next }
		     late != "" { print late }
		     { late = $0 }
		     NR % 20000 == 0 { printf "%d files\n", NR > "/dev/stderr" }
		     END { print late }' |
		git -C "$dir" update-index --add --stdin
}

commit_as_series() {
	GIT_AUTHOR_NAME='Function Hooks' GIT_AUTHOR_EMAIL=hooks@localhost \
	GIT_COMMITTER_NAME='Function Hooks' GIT_COMMITTER_EMAIL=hooks@localhost \
	GIT_AUTHOR_DATE=$SERIES_DATE GIT_COMMITTER_DATE=$SERIES_DATE \
		linux_git commit-tree "$@"
}

# check_version DIR: whether the series is for that kernel.
check_version() {
	local version
	version=$(linux_version "$1")
	# The pattern is meant as one.
	# shellcheck disable=SC2053
	[[ $version == $(base_field version) ]] ||
		fail "the base is Linux $version, the series is for $(base_field version)"
}

# prepare_base: build/linux with its first commit, tagged "base".
prepare_base() {
	local id version commit log=$LOGS/base.log
	id=$(base_id)
	if [ -f "$COMPOSE/base" ] && [ "$(cat "$COMPOSE/base")" = "$id" ]; then
		check_version "$LINUX"
		return
	fi
	note "unpacking $(base_field archive)"
	rm -rf "$LINUX" "$BUILD"/{linux.new,base,base-tree,composed} "$COMPOSE"
	mkdir -p "$COMPOSE/patches"
	(unpack_base "$BUILD/linux.new") >"$log" 2>&1 ||
		fail "unpacking the base failed" "$log"
	check_version "$BUILD/linux.new"
	mv "$BUILD/linux.new" "$LINUX"
	version=$(linux_version "$LINUX")
	commit=$(commit_as_series "$(linux_git write-tree)" \
		 -m "Linux $version" -m "$id")
	linux_git tag -f base "$commit" >/dev/null
	linux_git update-ref HEAD "$commit"
	echo "$id" >"$COMPOSE/base"
}

# patch_names: the names in series/order.
patch_names() { sed -e 's/#.*//' -e 's/[[:space:]]*$//' -e '/^$/d' "$SERIES/order"; }

# repository_files: those that stand at their place in the kernel tree.
repository_files() {
	(cd "$ROOT" && git ls-files -co --exclude-standard -- "${KERNEL_DIRS[@]}") |
		while IFS= read -r path; do
			[ ! -e "$ROOT/$path" ] || echo "$path"
		done | sort -u
}

# plan_patches: "PATCH<tab>copy|remove|maintainers<tab>PATH" for everything that
# the patches name; what is wrong with it goes to stderr, and then it fails. A
# series without a patch is the untouched base.
plan_patches() {
	local name lists=()
	while IFS= read -r name; do
		[ -f "$SERIES/$name/message" ] ||
			fail "series/order names $name, series/$name/message is missing"
		[ ! -f "$SERIES/$name/files" ] || lists+=("$SERIES/$name/files")
	done < <(patch_names)
	[ ${#lists[@]} -gt 0 ] || return 0
	repository_files | awk -f "$LAB/lib/plan.awk" - "${lists[@]}"
}

# show_hunk DIFF "FILE:LINE": the hunk of DIFF that git could not place.
show_hunk() {
	awk -v file="${2%:*}" -v line="${2##*:}" '
		/^\+\+\+ / { in_file = ($2 == "b/" file) ; showing = 0 }
		/^@@ / {
			split($2, old, /[-,]/)
			showing = in_file && old[2] == line
		}
		/^(diff|---) / { showing = 0 }
		showing' "$1" | head -n 30
}

# apply_edit PATCH DIFF: to the temporary index, or fail naming the hunk.
apply_edit() {
	local log=$LOGS/compose.log where
	linux_git apply --cached --whitespace=nowarn "$2" >"$log" 2>&1 && return
	where=$(sed -n 's/^error: patch failed: //p' "$log" | head -n 1)
	[ -z "$where" ] || show_hunk "$2" "$where" >>"$log"
	fail "patch $1: series/$1/${2##*/} does not apply at ${where:-?} of Linux $(linux_version "$LINUX")" "$log"
}

# remove_files PATCH PLAN: what it removes, out of the temporary index.
remove_files() {
	local path paths
	mapfile -t paths < <(awk -F '\t' '$1 == "remove" { print $4 }' "$2")
	[ ${#paths[@]} -gt 0 ] || return 0
	for path in "${paths[@]}"; do
		linux_git ls-files --error-unmatch -- "$path" >/dev/null 2>&1 ||
			fail "patch $1 removes $path, which is not there"
	done
	printf "0 $(printf %040d 0)\t%s\n" "${paths[@]}" |
		linux_git update-index --index-info
}

# add_maintainers: the repository's entry into the index's MAINTAINERS.
add_maintainers() {
	local blob
	blob=$(linux_git show :MAINTAINERS |
	       awk -f "$LAB/lib/maintainers.awk" "$ROOT/MAINTAINERS" - |
	       linux_git hash-object -w --stdin)
	linux_git update-index --cacheinfo "100644,$blob,MAINTAINERS"
}

# commit_patch PATCH PARENT PLAN: make the patch's commit, print its id.
commit_patch() {
	local name=$1 parent=$2 plan=$3 diff
	linux_git read-tree "$parent"
	remove_files "$name" "$plan"
	for diff in "$SERIES/$name"/*.diff; do
		[ ! -f "$diff" ] || apply_edit "$name" "$diff"
	done
	awk -F '\t' '$1 == "copy" { print $2 " " $3 "\t" $4 }' "$plan" |
		linux_git update-index --index-info
	if grep -q '^maintainers' "$plan"; then
		add_maintainers
	fi
	commit_as_series "$(linux_git write-tree)" -p "$parent" \
		<"$SERIES/$name/message"
}

# patch_inputs PATCH PLAN: everything that the patch's commit depends on.
patch_inputs() {
	cat "$2" "$SERIES/$1/message"
	cat /dev/null "$SERIES/$1"/*.diff 2>/dev/null || true
	if grep -q '^maintainers' "$2"; then
		cat "$ROOT/MAINTAINERS"
	fi
	cat "$LAB/lib/compose.sh"
}

# hash_plan PLAN: add mode and blob to the plan, writing the blobs.
hash_plan() {
	local paths=$COMPOSE/paths
	awk -F '\t' '$2 == "copy" { print $3 }' "$1" >"$paths"
	{
		sed "s,^,$ROOT/," "$paths" |
			linux_git hash-object -w --no-filters --stdin-paths |
			paste - "$paths" | awk '{ print "blob\t" $1 "\t" $2 }'
		while IFS= read -r path; do
			[ ! -x "$ROOT/$path" ] || printf 'exec\t-\t%s\n' "$path"
		done <"$paths"
		cat "$1"
	} | awk -F '\t' -v OFS='\t' '
		$1 == "blob" { blob[$3] = $2; next }
		$1 == "exec" { exec[$3] = 1; next }
		{ print $1, $2, $3 in exec ? 100755 : 100644,
			$3 in blob ? blob[$3] : "-", $3 }'
}

# compose: bring build/linux up to the repository.
compose() {
	local name parent key plan=$COMPOSE/plan count=0 made=0
	prepare_base
	export GIT_INDEX_FILE=$COMPOSE/index
	if ! (plan_patches) >"$plan" 2>"$LOGS/compose.log"; then
		[ -n "${DRAFT-}" ] ||
			fail "series/ and the repository do not agree" "$LOGS/compose.log"
		sed 's/^error:/      draft:/' "$LOGS/compose.log"
	fi
	hash_plan "$plan" >"$plan.hashed"
	parent=$(linux_git rev-parse 'base^{commit}')
	while IFS= read -r name; do
		count=$((count + 1))
		awk -F '\t' -v OFS='\t' -v name="$name" \
			'$1 == name { print $2, $3, $4, $5 }' "$plan.hashed" >"$plan.one"
		key=$({ echo "$parent"; patch_inputs "$name" "$plan.one"; } | sha1sum)
		key=$COMPOSE/patches/${key%% *}
		if [ ! -f "$key" ]; then
			note "composing $name"
			commit_patch "$name" "$parent" "$plan.one" >"$key.new"
			mv "$key.new" "$key"
			made=$((made + 1))
		fi
		parent=$(cat "$key")
	done < <(patch_names)
	unset GIT_INDEX_FILE
	linux_git checkout -q -f -B series "$parent"
	linux_git clean -ffdxq
	step_done "Linux $(linux_version "$LINUX") and $count patches ($made made anew)"
}

# work_tree DIR COMMIT: another work tree of what was composed.
work_tree() {
	if [ ! -e "$1/Makefile" ]; then
		rm -rf "$1"
		linux_git worktree prune
		linux_git worktree add -q -f --detach "$1" "$2"
	fi
	git -C "$1" checkout -q -f --detach "$2"
}
