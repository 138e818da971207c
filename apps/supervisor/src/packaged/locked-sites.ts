import { readConfig } from '@propusk/api/config';
import { findRunning } from '@propusk/embedded-postgres/find-running';
import pg from 'pg';
import { runCommand, say } from '../command.ts';

/**
 * Prints the address of each site, one a line: their locks outlive the product. Prints nothing when no database runs.
 * /usr/bin/propusk runs it before the package is removed.
 */
await runCommand(async () => {
  const { dataDir, databaseUrl } = readConfig(process.env);
  const url = databaseUrl ?? (await findRunning(dataDir));
  if (url === null) return 0;
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 5_000,
    query_timeout: 5_000,
  });
  await client.connect();
  const { rows } = await client.query<{ address: string }>(
    'select distinct shown_address as address from sites order by 1',
  );
  await client.end();
  for (const { address } of rows) say(address);
  return 0;
});
