import {
  addVantage,
  pairVantage,
  reportVantage,
  takeVantageWork,
  Vantage,
  VantagePairing,
} from '@propusk/contract/vantages';
import { openApiExamples as sample } from '@propusk/phrases/openapi';
import { named } from './fields.ts';

// OpenAPI texts of vantages.

const code = 'y1kzWBqUZz3v0l0lq0yqB7hJm0W2y5u8t1n4x7a0dEE';
const signature = 'f7bc83f430538424b13298e6aa6fb143ef4d59a14946175997479dbc2d1a3cd8';
const task = '6f1e6f0a-5d0f-4a63-9d5c-0a4f6a3f3c11';
const signed = {
  vantage: 'The id from the pairing.',
  count: 'Greater than that of every earlier call.',
  signature: 'HMAC-SHA256 in lowercase hex.',
};

named(
  'Vantage',
  Vantage,
  'A machine that requests sites as strangers do.',
  {
    name: 'The name that its owner gave it.',
    address: 'The address of its last call; null until it is paired.',
    seenAt: 'The time of its last call; null until it is paired.',
    present: 'It called within the last minute, so a probe uses it.',
  },
  { id: 3, name: sample.vantage, address: '203.0.113.9', seenAt: '2026-03-14T16:05:00.000Z', present: true },
);
named(
  'NewVantage',
  addVantage.body,
  'A vantage to add.',
  { name: 'A name for the list and for verdicts.' },
  { name: sample.vantage },
);
named(
  'VantagePairing',
  VantagePairing,
  'The command that pairs a machine.',
  { command: 'A line for a POSIX shell. Its code works once.', expiresAt: 'The end of the code.' },
  {
    id: 3,
    command: `curl -fsS https://console.example/vantage.sh -o vantage.sh && sh vantage.sh pair https://console.example ${code} && sh vantage.sh run`,
    expiresAt: '2026-03-14T16:20:00.000Z',
  },
);
named('VantageCode', pairVantage.body, 'The code of a new vantage.', { code: 'From the command.' }, { code });
named(
  'VantageKey',
  pairVantage.reply,
  'The key of a paired vantage.',
  { vantage: 'The id of the vantage.', key: '32 bytes in hex.' },
  { vantage: 3, key: '7f'.repeat(32) },
);
named('VantageCall', takeVantageWork.body, 'A signed call.', signed, { vantage: 3, count: 118, signature });
named(
  'VantageWork',
  takeVantageWork.reply,
  'The next requests of a vantage.',
  {
    task: 'The id of the task; empty when there is none.',
    plan: 'Base64 of a line for each request: group, step, scheme, host, port, address, path and header, separated by tabs.',
    wait: 'Seconds until the next call.',
    pending: 'Probes that wait or run and will use this vantage.',
  },
  { task: '', plan: '', wait: 5, pending: 0 },
);
named(
  'VantageReport',
  reportVantage.body,
  'What a vantage saw for one group of requests.',
  {
    ...signed,
    task: 'The id of the task.',
    group: 'The group within the plan.',
    results:
      'Base64 of a line for each request: step, exit status of curl, HTTP status, 1 when connected, and base64 of the headers or `-`.',
  },
  { vantage: 3, count: 119, signature, task, group: 0, results: 'MCAwIDQwMyAxIC0K' },
);
