import { Server } from 'proxy-chain';
import { COMPANIES, passwordOf, sitesOf, usersOf } from './policy.ts';

/** A proxy-chain server on the port PORT of the environment. It looks users and sites up in memory. */

const passwords = new Map<string, string>();
const companies = new Map<string, number>();
const sites = Array.from({ length: COMPANIES }, (_, company) => new Set(sitesOf(company)));
for (let company = 0; company < COMPANIES; company++) {
  for (const id of usersOf(company)) {
    passwords.set(`u${id}`, passwordOf(id));
    companies.set(`u${id}`, company);
  }
}

const server = new Server({
  host: '127.0.0.1',
  port: Number(process.env.PORT),
  verbose: false,
  prepareRequestFunction({ username, password, hostname }) {
    if (passwords.get(username) !== password) return { requestAuthentication: true };
    const company = companies.get(username) ?? -1;
    if (sites[company]?.has(hostname) !== true) throw new Error('Not allowed');
    return { dnsLookup: loopback as never };
  },
});

type Done = (error: Error | null, address?: unknown, family?: number) => void;

/** Resolves every site to this machine, so that no proxy of the bench waits for a resolver. */
function loopback(_name: string, options: { all?: boolean }, done: Done): void {
  if (options.all === true) done(null, [{ address: '127.0.0.1', family: 4 }]);
  else done(null, '127.0.0.1', 4);
}

await server.listen();
process.on('disconnect', () => process.exit(0));
process.send?.({ type: 'listening', port: server.port });
