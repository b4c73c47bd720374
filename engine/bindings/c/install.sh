#!/bin/sh
# Builds the C library and installs header, static and shared library, and the files for pkg-config and CMake: install.sh PREFIX
# PROFILE=dev builds for development. DESTDIR is prepended to the paths of the installed files, for packages.
set -eu
prefix=${1:?"usage: install.sh PREFIX"}
case $prefix in /*) ;; *) echo "install.sh: PREFIX is an absolute path" >&2; exit 2 ;; esac
cd "$(dirname "$0")"
profile=${PROFILE:-release}
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-target}"

cargo build --quiet --locked --profile "$profile"
built="$CARGO_TARGET_DIR/$([ "$profile" = dev ] && echo debug || echo "$profile")"
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -n 1)
abi=$(sed -n 's/^#define MCOLL_ABI_VERSION \([0-9]*\)$/\1/p' include/mysql_collation.h)
to="${DESTDIR:-}$prefix"

cmake="$to/lib/cmake/mysql_collation"
mkdir -p "$to/include" "$to/lib/pkgconfig" "$cmake"
install -m 644 include/mysql_collation.h "$to/include/"
install -m 644 "$built/libmysql_collation.a" "$to/lib/"
install -m 755 "$built/libmysql_collation.so" "$to/lib/libmysql_collation.so.$abi"
ln -sf "libmysql_collation.so.$abi" "$to/lib/libmysql_collation.so"
sed -e "s|@prefix@|$prefix|" -e "s|@version@|$version|" mysql_collation.pc.in > "$to/lib/pkgconfig/mysql_collation.pc"
install -m 644 cmake/mysql_collation-config.cmake "$cmake/"
sed -e "s|@version@|$version|" cmake/mysql_collation-config-version.cmake.in > "$cmake/mysql_collation-config-version.cmake"
