#!/bin/sh
# Installs, runs and purges a package in a throwaway copy of this machine: an overlay in memory, with its own processes.
# Usage, as root: unshare --mount --pid --fork sh try-install.sh PACKAGE PORT GATEWAY_PORT. Prints what each step printed.
set -eu
package=$1 port=$2 gateway=$3
# shellcheck source=/dev/null
. "$(dirname "$0")/box.sh"

cat >"$box/root/steps.sh" <<STEPS
step() { echo "== \$1"; }
rm -rf /etc/propusk /var/lib/propusk /var/backups/propusk
step install
dpkg -i /package.deb
step folders
stat -c '%n %a %U:%G' /etc/propusk/* /var/lib/propusk /var/backups/propusk
systemctl is-enabled propusk.service propusk-gateway.service propusk-backup.timer
if command -v systemd-analyze >/dev/null; then
  systemd-analyze verify --man=no propusk.service propusk-api.service propusk-gateway.service propusk-backup.timer && echo verified
fi 2>&1
step start
cat >>/etc/propusk/propusk.env <<SETTINGS
PORT=$port
GATEWAY_PORT=$gateway
MAIL_FROM=Пропуск компании <pass@example.ru>
SMTP_URL=smtp://user:word@127.0.0.1:9
ADMIN_EMAIL=admin@propusk.test
ADMIN_PASSWORD=correct horse battery
SETTINGS
propusk start >/start.log 2>&1 &
running=\$!
for _ in \$(seq 240); do if grep -q "127.0.0.1:$gateway" /start.log; then break; fi; sleep 0.25; done
grep '^Uid' "/proc/\$running/status"
tr '\0' '\n' <"/proc/\$running/environ" | grep MAIL_FROM
node_fetch() { /usr/lib/propusk/bin/node --input-type=module -e "\$1"; }
node_fetch "
  const call = async (path, body, token) => {
    const headers = { 'content-type': 'application/json', ...(token && { authorization: 'Bearer ' + token }) };
    const reply = await fetch('http://127.0.0.1:$port' + path, body && { method: 'POST', headers, body: JSON.stringify(body) });
    console.log(path, reply.status);
    return reply.headers.get('content-type').includes('json') ? reply.json() : {};
  };
  await call('/api/health');
  await call('/');
  await call('/downloads/propusk-chromium.zip');
  const company = { companyName: 'Ромашка', companySite: 'romashka.test' };
  const owner = { name: 'Анна', email: 'owner@romashka.test', password: 'correct horse' };
  const { token } = await call('/api/auth/registration', { ...company, ...owner });
  await call('/api/domain-allowed', { address: 'crm.romashka.ru', politics: [] }, token);
"
step extension
PUBLIC_URL=https://pass.example.ru propusk extension
stat -c '%n %a %U' /etc/propusk/extension-key.pem /var/lib/propusk-extension /var/lib/propusk-extension/*
setpriv --reuid=propusk --regid=propusk --init-groups cat /etc/propusk/extension-key.pem || echo closed
stat -c '%n %a %U:%G' /etc/propusk/extension-key.sealed
node_fetch "
  const crx = await fetch('http://127.0.0.1:$port/downloads/propusk.crx');
  console.log(crx.status, crx.headers.get('content-type'), (await crx.text()).slice(0, 4));
"
step backup
cd /root && mkdir -m 0700 closed
propusk backup closed/mine.backup
stat -c '%a %U' closed/mine.backup
propusk backup-daily
propusk backup closed/mine.backup || echo refused
# Decrypts the backup and checks that it contains the sealed key and no line of the PEM file.
node_fetch "
  const { readFileSync } = await import('node:fs');
  const { verify } = await import('/usr/lib/propusk/apps/supervisor/src/backup/reader.ts');
  const { contents } = await verify('/root/closed/mine.backup', readFileSync('/etc/propusk/backup-passphrase', 'utf8').trim());
  const sealed = JSON.parse(contents.extensionKey);
  const all = JSON.stringify(contents) + Buffer.from(sealed.frame, 'base64').toString('latin1');
  const lines = readFileSync('/etc/propusk/extension-key.pem', 'utf8').split('\n').filter((line) => all.includes(line) && line);
  console.log('sealed', sealed.id, 'lines of the key:', lines.length);
"
step reinstall
cp -p /etc/propusk/backup-passphrase /phrase
rm /var/lib/propusk-extension/updates.json
PUBLIC_URL=https://pass.example.ru dpkg -i /package.deb && ls /var/lib/propusk-extension/updates.json
PUBLIC_URL=http://pass.example.ru dpkg -i /package.deb 2>&1 >/dev/null && echo unsigned
cmp /phrase /etc/propusk/backup-passphrase && grep -c MAIL_FROM=П /etc/propusk/propusk.env
step stop
kill \$running
wait \$running && echo stopped
step restore
mv /var/lib/propusk /var/lib/propusk.old
mv /etc/propusk/extension-key.pem /key.pem
rm -r /etc/propusk/extension-key.sealed /var/lib/propusk-extension
propusk restore closed/mine.backup
stat -c '%a %U:%G' /etc/propusk/extension-key.sealed
PUBLIC_URL=https://pass.example.ru propusk extension
cmp /key.pem /etc/propusk/extension-key.pem && echo 'the same key'
step planted
# Creates, as the services' users, links to a folder and a file of root, and FIFOs. Some have names that scripts use.
plant() {
  for user in propusk propusk-gateway; do
    setpriv --reuid=\$user --regid=\$user --init-groups sh -c '
      for name in gateway .upgrade gateway-records gateway-snapshot.db postgres/link propusk.pid file fifo; do
        for folder in /var/lib/propusk /var/lib/propusk-gateway /var/lib/propusk-tls /var/backups/propusk /var/log/propusk; do
          case \$name in
            propusk.pid | fifo) mkfifo "\$folder/\$name" ;;
            file | gateway-snapshot.db) ln -sfn /root/closed/mine.backup "\$folder/\$name" ;;
            *) ln -sn /root/closed "\$folder/\$name" ;;
          esac
        done
      done 2>/dev/null; true'
  done
}
uproot() { find /var/lib/propusk* /var/backups/propusk /var/log/propusk '(' -type l -o -type p ')' -delete 2>/dev/null; }
look_closed() {
  sha256sum /root/closed/mine.backup | cmp - /closed.sum && stat -c '%n %a %U:%G' /root/closed /root/closed/*
}
sha256sum /root/closed/mine.backup >/closed.sum
rm -rf /var/lib/propusk-tls/gateway /var/lib/propusk-gateway
plant
find /var/lib/propusk /var/lib/propusk-tls /var/backups/propusk -maxdepth 1 '(' -type l -o -type p ')' | wc -l
timeout 200 dpkg -i /package.deb >/dev/null && echo installed
look_closed
uproot
step units
mkdir -p /run/systemd/system
mv /usr/bin/systemctl /usr/bin/systemctl.real
mv /systemctl /usr/bin/systemctl
rm -rf /var/lib/propusk-gateway
install -d -o propusk -g propusk /var/lib/propusk/gateway-records
dpkg -i /package.deb
ls /var/lib/propusk-gateway
systemctl start propusk.service
for _ in \$(seq 240); do if grep -q Listening /run/units/propusk-gateway.service.log; then break; fi; sleep 0.25; done
for unit in propusk propusk-gateway; do ps -o user:20=,args= -g "\$(cat /run/units/\$unit.service)" | awk '{ print \$1, \$NF }' | sort -u; done
stat -c '%n %a %U:%G' /run/propusk-gateway/*
keeper=\$(cat /run/units/propusk-gateway.service)
for pid in \$keeper \$(cat "/proc/\$keeper/task/\$keeper/children"); do
  tr '\0' '\n' <"/proc/\$pid/environ" | grep -E 'SECRET|DATABASE|ADMIN|SMTP|BACKUP' | cut -d= -f1
done
for file in /etc/propusk/propusk.env /etc/propusk/backup-passphrase /var/lib/propusk/secret-key /var/lib/propusk/gateway-secret /var/backups/propusk; do
  setpriv --reuid=propusk-gateway --regid=propusk-gateway --init-groups cat "\$file" 2>&1
done
node_fetch "
  const request = (await import('node:http')).get({ port: $gateway, path: 'http://crm.romashka.ru/' });
  request.on('response', (reply) => { console.log('gateway', reply.statusCode); process.exit() });
"
propusk restart
propusk answers 60 api gateway
grep -c 'serves new connections' /run/units/propusk-gateway.service.log
systemctl stop propusk.service propusk-gateway.service
systemctl is-active propusk.service propusk-gateway.service
step planted-upgrade
dpkg-deb -R /package.deb /new
sed -i 's/^Version:.*/Version: 9.9.9/' /new/DEBIAN/control
echo 'exit 1' >/new/DEBIAN/postinst
echo 'select 1' >/new/usr/lib/propusk/apps/api/src/db/migrations/999-none.sql
dpkg-deb -Znone -b /new /next.deb >/dev/null
rm -rf /new
plant
PROPUSK_UPGRADE_WAIT=20 timeout 300 propusk upgrade /next.deb >/upgrade.log 2>&1 || tail -n 1 /upgrade.log
look_closed
find /var/lib/propusk/.upgrade* -user root
uproot
rm /next.deb
mv /usr/bin/systemctl.real /usr/bin/systemctl
rmdir /run/systemd/system
step purge
propusk start >/start.log 2>&1 &
running=\$!
for _ in \$(seq 240); do if grep -q "127.0.0.1:$gateway" /start.log; then break; fi; sleep 0.25; done
dpkg --purge propusk
ls -d /var/lib/propusk/postgres /etc/propusk/backup-passphrase /var/backups/propusk
kill \$running
wait \$running || true
dpkg -i /package.deb >/dev/null
step planted-purge
plant
timeout 200 dpkg --remove propusk >/dev/null && echo removed
timeout 200 dpkg -i /package.deb >/dev/null && echo installed
step purge-with-data
PROPUSK_PURGE_DATA=yes timeout 200 dpkg --purge propusk
look_closed
ls -d /etc/propusk /etc/systemd/system/propusk.service.d/* /var/*/propusk* /usr/lib/propusk 2>/dev/null || echo gone
STEPS
chroot "$box/root" sh /steps.sh
