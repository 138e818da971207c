#!/bin/sh
# Runs `propusk upgrade` in a throwaway copy of this machine, with a stand-in for systemctl: it fails at each place, then succeeds.
# Usage, as root: unshare --mount --pid --fork sh try-upgrade.sh PACKAGE PORT GATEWAY_PORT. Prints what each step printed.
set -eu
package=$1 port=$2 gateway=$3
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=/dev/null
. "$(dirname "$0")/box.sh"

cat >"$box/root/steps.sh" <<STEPS
exec 2>&1
export DEBIAN_FRONTEND=noninteractive PROPUSK_UPGRADE_WAIT=\${PROPUSK_UPGRADE_WAIT:-20}
rm -rf /etc/propusk /var/lib/propusk* /var/backups/propusk
mkdir -p /run/systemd/system
mv /usr/bin/systemctl /usr/bin/systemctl.real
mv /systemctl /usr/bin/systemctl
dpkg -i /package.deb >/dev/null
printf 'PORT=$port\nGATEWAY_PORT=$gateway\nGATEWAY_ALLOW_NETWORKS=127.0.0.0/8\nGATEWAY_HOSTS=crm.romashka.ru=127.0.0.1\n' >>/etc/propusk/propusk.env
systemctl start propusk.service
propusk answers 60 api gateway
node() { /usr/lib/propusk/bin/node --input-type=module -e "
  const call = async (path, body, token) => {
    const headers = { 'content-type': 'application/json', ...(token && { authorization: 'Bearer ' + token }) };
    return fetch('http://127.0.0.1:$port' + path, body && { method: 'POST', headers, body: JSON.stringify(body) } || { headers });
  };
  \$1"; }
node "
  const company = { companyName: 'Ромашка', companySite: 'romashka.test' };
  const owner = { name: 'Анна', email: 'owner@romashka.test', password: 'correct horse' };
  const { token } = await (await call('/api/auth/registration', { ...company, ...owner })).json();
  await call('/api/domain-allowed', { address: 'crm.romashka.ru', politics: [] }, token);
  console.log(token);
" >/token
export PUBLIC_URL=https://pass.example.ru
propusk extension
dpkg-deb -R /package.deb /new
home=usr/lib/propusk migrations=usr/lib/propusk/apps/api/src/db/migrations
rm -rf /variant

# Usage: step NAME COMMANDS. Builds version 1.2.4 changed by the commands, and upgrades to it.
step() {
  echo "== \$1"
  rm -rf /variant /var/lib/propusk/.upgrade-failed* /var/log/propusk-upgrade.log
  rm -f /var/lib/propusk-extension/updates.json
  cp -al /new /variant
  sed -i 's/^Version:.*/Version: 1.2.4/' /variant/DEBIAN/control
  (cd /variant && rm \$home/VERSION && echo 1.2.4 >\$home/VERSION && eval "\$2")
  dpkg-deb -Znone -b /variant /next.deb >/dev/null
  eval "\${3:-propusk upgrade /next.deb}" && echo upgraded
  look
}
# Prints the version, the services that respond, whether the earlier session and site still exist, and whether the extension was signed.
look() {
  echo "now \$(propusk version) \$(dpkg-query -W -f '\${db:Status-Status} \${Version}' propusk) \$(propusk answers 20 api gateway): \$(node "
    const reply = await call('/api/domain-allowed', undefined, '\$(cat /token)');
    console.log(reply.status, (await reply.text()).match(/crm.romashka.ru/)?.[0]);
  ") \$(ls -d /var/lib/propusk-upgrade /var/lib/propusk-extension/updates.json 2>/dev/null)"
}
# A program that ends with an error, in place of the file.
broken='rm FILE; echo "throw new Error(\"broken\")" >FILE'
break_file() { echo "\$broken" | sed "s|FILE|\$1|g"; }
mark="echo 'delete from sites; create table mark ()' >\$migrations/998-mark.sql"

step damaged true 'truncate -s 20M /next.deb; propusk upgrade /next.deb'
step no-room "sed -i 's/^Installed-Size:.*/Installed-Size: 99999999/' DEBIAN/control"
mv /etc/propusk/backup-passphrase /phrase
step backup true
mv /phrase /etc/propusk/backup-passphrase
step preinst "printf '#!/bin/sh\nexit 1\n' >DEBIAN/preinst; chmod 755 DEBIAN/preinst"
step disk-full "\$mark; printf '#!/bin/sh\ndd if=/dev/zero of=/var/fill bs=1M status=none; true\n' >DEBIAN/preinst; chmod 755 DEBIAN/preinst"
rm -f /var/fill
step postinst "rm DEBIAN/postinst; printf '#!/bin/sh\nexit 1\n' >DEBIAN/postinst; chmod 755 DEBIAN/postinst"
step migration "echo 'select 1 / 0' >\$migrations/999-bad.sql"
step api "\$mark; \$(break_file \$home/apps/api/src/main.ts)"
step health "\$mark; rm \$home/apps/api/src/main.ts; echo 'import { createServer } from \"node:http\"; createServer((_, reply) => reply.writeHead(503).end()).listen($port); process.send({ type: \"listening\" })' >\$home/apps/api/src/main.ts"
step gateway "\$mark; \$(break_file \$home/apps/gateway/src/main.ts)"
slow="rm DEBIAN/postinst; printf '#!/bin/sh\nsleep 60\n' >DEBIAN/postinst; chmod 755 DEBIAN/postinst"
until_gone='while [ -d "/proc/\$(cat /var/lib/propusk-upgrade/worker)" ]; do sleep 0.1; done'
until_postinst='for _ in \$(seq 1200); do if grep -qs "Setting up" /var/log/propusk-upgrade.log; then break; fi; sleep 0.1; done'
step killed "\$mark; \$slow" "propusk upgrade /next.deb & front=\\\$!; sleep 1; \$until_postinst; kill -9 \\\$(cat /var/lib/propusk-upgrade/worker); wait \\\$front"
step power-cut "\$mark; \$slow" "propusk upgrade /next.deb & front=\\\$!; sleep 1; \$until_postinst; kill -9 \\\$front -\\\$(cat /var/lib/propusk-upgrade/worker); \$until_gone; propusk version; propusk upgrade /next.deb; propusk upgrade --back; false"
poll() { node "
  const { existsSync, readFileSync } = await import('node:fs');
  // Divided by the factor by which this process ran slower than on an idle machine, as stopwatch() of test-kit does.
  const times = () => readFileSync('/proc/self/schedstat', 'utf8').split(' ').map(Number);
  let last = Date.now(), [ran, waited] = times(), longest = 0;
  setInterval(async () => {
    if (existsSync('/stop')) { console.log('away for', Math.round(longest), 'ms'); process.exit(); }
    if (!(await call('/api/health').catch(() => ({ ok: false }))).ok) return;
    const [ranNow, waitedNow] = times();
    longest = Math.max(longest, (Date.now() - last) / (1 + (waitedNow - waited) / Math.max(ranNow - ran, 2e6)));
    [last, ran, waited] = [Date.now(), ranNow, waitedNow];
  }, 20);
" >/poll & }
poll
/usr/lib/propusk/bin/node $here/traffic.ts $port $gateway "\$(cat /token)" /stop >/traffic 2>&1 &
for _ in \$(seq 100); do if grep -qs . /traffic; then break; fi; sleep 0.1; done
# A busy machine needs longer than the steps that wait for a version that never answers.
export PROPUSK_UPGRADE_WAIT=120
step success true
touch /stop; wait; cat /poll /traffic
step success-again "sed -i 's/^Version:.*/Version: 1.2.5/' DEBIAN/control; echo 1.2.5 >\$home/VERSION; echo 'create table mark ()' >\$migrations/998-mark.sql" "(until grep -qs Резервная /var/log/propusk-upgrade.log; do sleep 0.1; done; rm /next.deb) & propusk upgrade /next.deb"
systemctl stop propusk.service
STEPS
chroot "$box/root" sh /steps.sh
