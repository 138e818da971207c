import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type PeerCertificate } from 'node:tls';
import { freePort, listens } from '@propusk/test-kit/daemon';
import { makeCertificate } from '@propusk/test-kit/gateway/certificate';
import { expect, test } from 'vitest';

/** deploy/nginx.conf from the first start to certbot's certificate. As root: the hook gives a file to another user. */

const read = (name: string) => readFile(new URL(`../deploy/${name}`, import.meta.url), 'utf8');

async function served(port: number): Promise<PeerCertificate> {
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const certificate = socket.getPeerCertificate();
  socket.destroy();
  return certificate;
}

test.runIf(process.getuid?.() === 0)(
  'nginx starts with the self-made certificate, and the deploy hook gives it and the gateway those of certbot',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'propusk-hook-'));
    const real = await makeCertificate('DNS:propusk.example.ru');
    const [port, plain] = [await freePort(), await freePort()];
    const site = (await read('nginx.conf'))
      .replaceAll(/ {4}listen \[::\].*\n/g, '')
      .replace('listen 80;', `listen 127.0.0.1:${plain};`)
      .replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
      .replaceAll('/etc/ssl/propusk', folder);
    const selfMade = /^# {3}(install .*)$/m.exec(site)?.[1] ?? '';
    execFileSync('sh', ['-c', selfMade], { stdio: 'ignore' });
    const main = `daemon off; pid ${folder}/nginx.pid; error_log ${folder}/error.log; events {}\nhttp {\n${site}\n}\n`;
    await writeFile(join(folder, 'nginx.conf'), main);
    const nginx = spawn('setpriv', ['--pdeathsig', 'TERM', '/usr/sbin/nginx', '-c', `${folder}/nginx.conf`]);
    try {
      for (let tries = 0; tries < 100 && !(await listens(port)); tries++)
        await new Promise((resolve) => setTimeout(resolve, 50));
      expect((await served(port)).subject.CN).toBe('propusk');

      const lineage = join(folder, 'live');
      await mkdir(lineage);
      await writeFile(join(lineage, 'fullchain.pem'), real.cert);
      await writeFile(join(lineage, 'privkey.pem'), real.key, { mode: 0o600 });
      const hook = (await read('certbot-deploy-hook'))
        .replace('/etc/ssl/propusk', folder)
        .replace(/^user=.*$/m, 'user=www-data');
      await writeFile(join(folder, 'hook'), hook, { mode: 0o755 });
      await writeFile(
        join(folder, 'systemctl'),
        `#!/bin/sh\n[ "$*" = 'reload nginx' ] && kill -HUP $(cat ${folder}/nginx.pid)\n`,
      );
      await chmod(join(folder, 'systemctl'), 0o755);
      const env = { PATH: `${folder}:${process.env.PATH}`, RENEWED_LINEAGE: lineage };
      execFileSync(join(folder, 'hook'), { env });
      let seen = await served(port);
      for (let tries = 0; tries < 100 && seen.subject.CN === 'propusk'; tries++) seen = await served(port);
      expect(seen.subjectaltname).toBe('DNS:propusk.example.ru');
      const key = await stat(join(folder, 'gateway/key.pem'));
      expect([key.uid, key.mode & 0o777]).toEqual([33, 0o400]);
    } finally {
      nginx.kill('SIGTERM');
      await once(nginx, 'exit');
      await real.remove();
      await rm(folder, { recursive: true, force: true });
    }
  },
);
