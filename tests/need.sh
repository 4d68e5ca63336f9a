# Sourced: `need TOOL...` installs Debian packages for what is not there.
#   name            a command of the package of that name
#   PACKAGE:TOOL    a command of another package
#   PACKAGE:F.pc    a library that pkg-config knows as F
#   PACKAGE:F.h     a header that the C compiler finds

there() {
	case $1 in
	*:*.pc) n=${1#*:}; command -v pkg-config >/dev/null && pkg-config --exists "${n%.pc}" ;;
	*:*.h) echo "#include <${1#*:}>" | gcc -E -x c - >/dev/null 2>&1 ;;
	*) command -v "${1#*:}" >/dev/null ;;
	esac
}

need() {
	missing=
	for tool in "$@"; do
		there "$tool" || missing="$missing ${tool%%:*}"
	done
	[ -n "$missing" ] || return 0
	sudo=
	[ "$(id -u)" = 0 ] || sudo=sudo
	if ! command -v apt-get >/dev/null || { [ -n "$sudo" ] && ! command -v sudo >/dev/null; }; then
		echo "please install:$missing" >&2
		return 1
	fi
	echo "installing:$missing"
	$sudo env DEBIAN_FRONTEND=noninteractive apt-get update -q </dev/null
	$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $missing </dev/null
}
