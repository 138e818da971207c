#!/bin/sh
# Runs documented commands in a throwaway copy of this machine with a network of its own.
# Usage, as root in the checkout: unshare --mount --pid --net --fork --kill-child sh try-documented.sh SCRIPT COMMANDS
set -eu
package=/dev/null port=$2
# shellcheck source=/dev/null
. "$(dirname "$0")/box.sh"
rm -rf "$box/root/etc/propusk" "$box/root"/var/lib/propusk* "$box/root/var/backups/propusk" "$box/root$PWD/data"
# shellcheck disable=SC2016
exec chroot "$box/root" sh -c 'cd "$1" && exec node "$2" "$3"' sh "$PWD" "$1" "$2"
