import { getSiteLock, learnEgress } from '@propusk/contract/lock';
import { updatePolicy } from '@propusk/contract/policies';
import { checkSite, getSiteCheck } from '@propusk/contract/probe';
import { evidence } from '@propusk/contract/protection';
import { createProxy } from '@propusk/contract/proxies';
import { deleteSite, getSite, listSites, updateSite } from '@propusk/contract/sites';
import {
  companyBehind,
  ECHO_HOST,
  EGRESS,
  finished,
  type ProbeWorld,
  probe,
  type Site,
  startLiar,
  startProbeWorld,
} from '@propusk/test-kit/api/probe-world';
import { startSquid } from '@propusk/test-kit/gateway/upstreams';
import { startNginx } from '@propusk/test-kit/locks/nginx';
import { SITE } from '@propusk/test-kit/locks/site';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { claimCheck, queueDueChecks, saveSteps } from './store.ts';

let world: ProbeWorld;
let site: Site;
/** `token` is the session of an owner whose site is reached through squid. `text` is the `.htaccess` snippet of the console. */
let token: string;
let id: number;
let policyId: number;
let text: string;
beforeAll(async () => {
  world = await startProbeWorld(inject('serverUrl'));
  site = await world.site({ allowOverride: 'AuthConfig' });
  const company = await companyBehind(world);
  ({ token, policyId } = company);
  id = await company.add(site.address);
  const { snippets } = await world.api.must(token, learnEgress, { params: { id } });
  text = snippets.find(({ kind }) => kind === 'htaccess')?.text ?? '';
});
afterAll(() => world.close());

const titles = (check: { steps: { title: string; outcome: string }[] }, outcome: string) =>
  check.steps.filter((step) => step.outcome === outcome).map(({ title }) => title);

describe('probes of an Apache site', () => {
  test('an Apache site with the snippet that the console shows gets the verdict protected', async () => {
    expect(text).toContain(EGRESS);
    await site.lock(text);
    const check = await probe(world.api, token, id);
    expect(check).toMatchObject({ state: 'done', verdict: 'protected', advice: null });
    // For a site without HTTPS, a probe has 14 steps: a plain request, five requests with spoofed headers, five for other paths,
    // one through squid, one to the echo endpoint, and one step for all samples.
    expect(titles(check, 'passed')).toHaveLength(14);
    expect(titles(check, 'failed')).toEqual([]);
    expect(check.steps.filter(({ outcome }) => outcome === 'waiting')).toEqual([]);
    expect(check.steps.filter(({ advice }) => advice !== null)).toEqual([]);
    // Of the 17 direct requests, six are samples: requests for made-up file names in the root folder.
    expect(check.proof).toEqual({ outside: { passed: 17, of: 17 }, through: { passed: 1, of: 1 } });
    expect((await world.api.must(token, getSite, { params: { id } })).protection).toMatchObject({
      verdict: 'protected',
      drifted: false,
    });
  });

  test('an Apache site without the snippet gets the verdict open', async () => {
    await site.lock(null);
    const check = await probe(world.api, token, id);
    expect(check).toMatchObject({ verdict: 'open' });
    expect(check.meaning).toMatch(/открыт всем.*: 200/s);
    expect(check.proof).toMatchObject({ outside: { passed: 0 }, through: { passed: 1, of: 1 } });
    const first = check.steps.find(({ outcome }) => outcome === 'failed');
    expect(first?.advice).toMatch(/^Вставьте строки из «Защитить»/);
    expect(await world.api.must(token, evidence)).toMatchObject({ open: 1, unchecked: 0 });
  });

  test('an Apache site that ignores .htaccess gets the verdict open despite the snippet', async () => {
    const deaf = await world.site({ allowOverride: 'None', htaccess: text });
    const company = await companyBehind(world);
    const check = await probe(world.api, company.token, await company.add(deaf.address));
    expect(check).toMatchObject({ verdict: 'open', advice: expect.stringContaining('AllowOverride') });
  });

  test('an Apache site that trusts any X-Forwarded-For gets the verdict open, and the failed step names the header', async () => {
    const gullible = await world.site({
      allowOverride: 'AuthConfig',
      htaccess: text,
      host: 'RemoteIPHeader X-Forwarded-For\nRemoteIPInternalProxy 127.0.0.0/8',
    });
    const company = await companyBehind(world);
    const check = await probe(world.api, company.token, await company.add(gullible.address));
    expect(check).toMatchObject({ verdict: 'open', advice: expect.stringContaining('RemoteIPHeader') });
    expect(titles(check, 'failed')).toEqual([expect.stringContaining('с поддельным X-Forwarded-For')]);
  });

  test('an Apache site locked only on its first page gets the verdict open', async () => {
    const partly = await world.site({
      allowOverride: 'AuthConfig',
      // This rule protects the first page only. The console's snippet applies to every path.
      htaccess: `Require ip ${EGRESS}`,
      host: '<LocationMatch "^/[0-9a-f]{12}/">\nRequire all granted\n</LocationMatch>',
    });
    const company = await companyBehind(world);
    const check = await probe(world.api, company.token, await company.add(partly.address));
    expect(check).toMatchObject({ verdict: 'open', advice: expect.stringContaining('часть сайта') });
    expect(titles(check, 'failed')).toEqual([expect.stringContaining('вложенный путь')]);
  });

  test('an Apache site locked to another egress address gets the verdict closed', async () => {
    await site.lock(text.replaceAll(EGRESS, '127.0.0.66'));
    const check = await probe(world.api, token, id);
    expect(check).toMatchObject({ verdict: 'closed' });
    expect(titles(check, 'failed')).toEqual([expect.stringContaining('Через squid.example.test')]);
  });

  test('an Apache site with an invalid .htaccess gets the verdict server_error', async () => {
    await site.lock(`Header set X-A b\n${text}`);
    expect(await probe(world.api, token, id)).toMatchObject({
      verdict: 'server_error',
      meaning: expect.stringContaining('500'),
      advice: expect.stringContaining('AllowOverride'),
    });
  });

  test('an Apache site with the response header of a CDN gets the verdict cdn', async () => {
    const fronted = await world.site({
      allowOverride: 'AuthConfig',
      htaccess: text,
      host: 'Header always set CF-RAY 8f1-DME',
    });
    const company = await companyBehind(world);
    const check = await probe(world.api, company.token, await company.add(fronted.address));
    expect(check).toMatchObject({ verdict: 'cdn', meaning: expect.stringContaining('Cloudflare') });
  });
});

describe('probes of an nginx site', () => {
  test.each([
    ['beside a location that denies', `allow ${EGRESS}; deny all;`],
    ['beside a location that closes the connection', `if ($remote_addr != ${EGRESS}) { return 444; }`],
  ])('the verdict is open when a php location of nginx lacks the lock: %s', async (_, lines) => {
    const nginx = await startNginx({ server: `location / { ${lines} }\nlocation ~ \\.php$ { }` });
    const company = await companyBehind(world);
    const check = await probe(world.api, company.token, await company.add(`${SITE}:${nginx.port}`));
    await nginx.stop();
    expect(check).toMatchObject({ verdict: 'open', advice: expect.stringContaining('часть сайта') });
    expect(titles(check, 'failed')).toEqual([
      expect.stringContaining('/index.php'),
      expect.stringContaining('программа .php'),
    ]);
  });
});

describe('probes that end with the verdict unknown', () => {
  test('a site without a policy gets the verdict unknown without any request', async () => {
    const company = await companyBehind(world);
    const lonely = await company.add(site.address);
    await world.api.must(company.token, updateSite, { params: { id: lonely }, body: { politics: [] } });
    const check = await probe(world.api, company.token, lonely);
    expect(check).toMatchObject({ verdict: 'unknown', steps: [] });
    expect(check.advice).toMatch(/политику/);
  });

  test('the verdict is unknown when the proxy is unreachable', async () => {
    await site.lock(text);
    const company = await companyBehind(world, { host: 'dead.example.test' });
    const check = await probe(world.api, company.token, await company.add(site.address));
    expect(check).toMatchObject({
      verdict: 'unknown',
      meaning: expect.stringContaining('прокси недоступен'),
    });
  });

  test('the verdict is unknown when the probe and the proxy share an egress address', async () => {
    await site.lock(text.replaceAll(EGRESS, '127.0.0.1'));
    const squid = await startSquid([ECHO_HOST, SITE], '127.0.0.1');
    const company = await companyBehind({ api: world.api, squid });
    const check = await probe(world.api, company.token, await company.add(site.address));
    await squid.stop();
    expect(check).toMatchObject({ verdict: 'unknown', advice: expect.stringContaining('точку проверки') });
    const outside = check.steps.filter(({ vantage }) => vantage === 'outside');
    expect(new Set(outside.map(({ outcome }) => outcome))).toEqual(new Set(['skipped']));
  });

  test.each(['metadata.example.test', 'inner.example.test', 'mixed.example.test'])(
    'the verdict of a name with an internal address (%s) is unknown, without a connection',
    async (host) => {
      const inside = await startLiar(() => {}, '127.0.7.7');
      const company = await companyBehind(world);
      const check = await probe(world.api, company.token, await company.add(`${host}:${inside.port}`));
      expect(check).toMatchObject({ verdict: 'unknown', meaning: expect.stringContaining('внутренний') });
      expect(inside.connections()).toBe(0);
      await inside.stop();
    },
  );

  test('the verdict of a site whose host name has no DNS records is unknown', async () => {
    const company = await companyBehind(world);
    const check = await probe(world.api, company.token, await company.add('nowhere.example.test'));
    expect(check).toMatchObject({ verdict: 'unknown', meaning: expect.stringContaining('DNS') });
  });
});

describe('probes of a site that loses its protection', () => {
  test('a protected site that becomes open is marked as drifted in all lists until it is protected again', async () => {
    const { api } = world;
    const shown = async () => ({
      site: (await api.must(token, getSite, { params: { id } })).protection?.drifted,
      listed: (await api.must(token, listSites)).rows.map(({ protection }) => protection?.drifted),
      evidence: await api.must(token, evidence),
    });
    await site.lock(text);
    await probe(api, token, id);
    expect(await shown()).toMatchObject({
      site: false,
      evidence: { siteExists: true, lockVerified: true, userHasPolicy: false, drifted: [] },
    });
    await site.lock(null);
    await probe(api, token, id);
    expect(await shown()).toMatchObject({
      site: true,
      listed: [true],
      evidence: { lockVerified: false, drifted: [{ id, verdict: 'open' }] },
    });
    await site.lock(text);
    await probe(api, token, id);
    expect(await shown()).toMatchObject({ site: false, evidence: { lockVerified: true, drifted: [] } });
  });

  test('a USER does not see the protection of a site', async () => {
    const agent = await world.api.agent(token, [policyId]);
    expect(await world.api.must(agent.token, getSite, { params: { id } })).toMatchObject({
      protection: null,
    });
    expect(await world.api.must(token, evidence)).toMatchObject({
      userHasPolicy: true,
      extensionSeen: false,
    });
    await world.api.database.pool.query('update users set extension_seen_at = now() where id = $1', [
      agent.id,
    ]);
    expect(await world.api.must(token, evidence)).toMatchObject({ extensionSeen: true });
  });

  test('a change of a site address resets the protection of the site', async () => {
    const company = await companyBehind(world);
    const moved = await company.add(site.address);
    await probe(world.api, company.token, moved);
    const edited = await world.api.must(company.token, updateSite, {
      params: { id: moved },
      body: { address: 'nowhere.example.test' },
    });
    expect(edited.protection).toBeNull();
    expect((await world.api.must(company.token, getSite, { params: { id: moved } })).protection).toBeNull();
  });
});

describe('the probe queue', () => {
  test('only one of many concurrent claims gets the probe', async () => {
    const company = await companyBehind(world);
    const { db, pool } = world.api.database;
    const one = await company.add('nowhere.example.test');
    await pool.query(`update site_checks set state = 'done'`);
    await pool.query(
      `insert into site_checks (company_id, site_id, state) select company_id, id, 'waiting' from sites where id = $1`,
      [one],
    );
    const claims = await Promise.all(Array.from({ length: 20 }, () => claimCheck(db)));
    const mine = claims.filter((claim) => claim !== null);
    expect(mine).toHaveLength(1);
    // No other process can claim the probe until its lease is over.
    expect(await claimCheck(db)).toBeNull();
    await pool.query(`update site_checks set begun_at = now() - interval '5 minutes' where site_id = $1`, [
      one,
    ]);
    const again = await claimCheck(db);
    expect(again).toMatchObject({ siteId: one });
    // The probe was claimed again, so the holder of the first claim may not write steps.
    if (mine[0] === undefined || mine[0] === null || again === null) throw new Error('no claim');
    expect(await saveSteps(db, mine[0], [])).toBe(false);
    expect(await saveSteps(db, again, [])).toBe(true);
    await pool.query('delete from site_checks where site_id = $1', [one]);
  });

  test('a request for a probe returns the probe that is already running', async () => {
    const silent = await startLiar(() => {});
    const company = await companyBehind(world);
    const slow = await company.add(`crm.example.test:${silent.port}`);
    const params = { id: slow };
    const first = await world.api.call(company.token, checkSite, { params });
    expect(first).toMatchObject({ status: 202, body: { state: 'running', verdict: null } });
    const second = await world.api.must(company.token, checkSite, { params });
    expect(second.startedAt).toBe(first.body.startedAt);
    await silent.stop();
    await finished(world.api, company.token, slow);
    const third = await world.api.call(company.token, checkSite, { params });
    expect(third.status).toBe(429);
    expect(Number(third.headers['retry-after'])).toBeGreaterThan(0);
  });

  test('the schedule queues a probe after a day, or after a policy of the site gets another proxy', async () => {
    const { api } = world;
    await site.lock(text);
    await probe(api, token, id);
    const due = () => queueDueChecks(api.database.db, 100);
    const state = async () =>
      (
        await api.database.db
          .selectFrom('site_checks')
          .select('state')
          .where('site_id', '=', id)
          .executeTakeFirstOrThrow()
      ).state;
    await api.database.pool.query("update site_checks set next_at = now() + interval '1 day'");
    // A new user of the policy does not affect the lock, so no probe is due.
    await api.agent(token, [policyId]);
    await due();
    expect(await state()).toBe('done');
    const other = await api.must(token, createProxy, {
      body: { host: 'dead.example.test', port: 3128, username: 'user', password: 'pass' },
    });
    await api.must(token, updatePolicy, { params: { id: policyId }, body: { proxyId: other.id } });
    await due();
    expect(await state()).toBe('waiting');
    // `checkSite` creates no second probe: the probe that the schedule queued runs.
    await api.must(token, checkSite, { params: { id } });
    expect((await finished(api, token, id)).verdict).toBe('unknown');
    await api.database.pool.query(
      `update site_checks set next_at = now() - interval '1 minute' where site_id = $1`,
      [id],
    );
    expect(await due()).toBe(1);
  });

  test('a change of the proxy during a probe makes another probe of the site due at once', async () => {
    const silent = await startLiar(() => {});
    const company = await companyBehind(world);
    const { api } = world;
    const slow = await company.add(`crm.example.test:${silent.port}`);
    const other = await api.must(company.token, createProxy, {
      body: { host: 'dead.example.test', port: 3128, username: 'user', password: 'pass' },
    });
    await api.must(company.token, checkSite, { params: { id: slow } });
    // The first connection to the site shows that the probe has already read the site's proxies.
    await expect.poll(() => silent.connections()).toBeGreaterThan(0);
    await api.must(company.token, updatePolicy, {
      params: { id: company.policyId },
      body: { proxyId: other.id },
    });
    await silent.stop();
    await finished(api, company.token, slow);
    const due = async () => {
      const { rows } = await api.database.pool.query<{ due: boolean }>(
        'select next_at <= now() as due from site_checks where site_id = $1',
        [slow],
      );
      return rows[0]?.due;
    };
    expect(await due()).toBe(true);
    await probe(api, company.token, slow);
    expect(await due()).toBe(false);
  });

  test('deleting a site deletes its running probe', async () => {
    const silent = await startLiar(() => {});
    const company = await companyBehind(world);
    const doomed = await company.add(`crm.example.test:${silent.port}`);
    await world.api.must(company.token, checkSite, { params: { id: doomed } });
    await world.api.must(company.token, deleteSite, { params: { id: doomed } });
    expect((await world.api.call(company.token, getSiteCheck, { params: { id: doomed } })).status).toBe(404);
    await silent.stop();
  });
});

test('the last probe of a site that was never probed is null', async () => {
  const company = await companyBehind(world);
  const fresh = await company.add('fresh.example.test');
  const reply = await world.api.call(company.token, getSiteCheck, { params: { id: fresh } });
  expect(reply).toMatchObject({ status: 200, body: null });
  expect((await world.api.must(company.token, getSiteLock, { params: { id: fresh } })).snippets).toEqual([]);
});
