# Sourced by try-install.sh and try-upgrade.sh: makes "$box/root", a throwaway copy of this machine in memory, with $package in it.
box=$(mktemp -d)
mount --make-rprivate /
# The size keeps a test of a full disk from taking the memory of the machine.
mount -t tmpfs -o mode=0755,size=3g tmpfs "$box"
mkdir "$box/upper" "$box/work" "$box/root"
mount -t overlay -o "lowerdir=/,upperdir=$box/upper,workdir=$box/work" overlay "$box/root"
cp "$package" "$box/root/package.deb"
cp "$(dirname "$0")/systemctl" "$box/root/systemctl"
mount -t proc proc "$box/root/proc"
mount --rbind /dev "$box/root/dev"
mkdir -p "$box/root/run/lock"
mount -t tmpfs tmpfs "$box/root/run"
# Port 0 asks only whether this machine allows all that.
if [ "$port" = 0 ]; then exec chroot "$box/root" true; fi
