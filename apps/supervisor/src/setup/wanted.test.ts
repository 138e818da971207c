import { parseEnv } from 'node:util';
import { setupPhrases } from '@propusk/phrases/setup';
import { expect, test, vi } from 'vitest';
import { say } from '../command.ts';
import { readOptions } from './options.ts';
import { editSettings } from './settings-edit.ts';
import { wantedSettings } from './wanted.ts';

vi.mock('../command.ts', () => ({ say: vi.fn<(line: string) => void>() }));
const ports = { http: 80, https: 443, gateway: 3128 };
const files = ['--cert', import.meta.filename, '--key', import.meta.filename];

/** Runs `propusk setup` in a mode as far as the text of the settings file. */
function after(text: string, tls: 'auto' | 'files' | 'off', ...args: string[]): string {
  const options = readOptions(['pass.test', 'a@pass.test', '--tls', tls, ...args]);
  return editSettings(text, wantedSettings(options, { tls, gateway: 'gw.pass.test', ports }, parseEnv(text)));
}
const gatewayOf = (text: string) =>
  Object.keys(parseEnv(text)).filter((name) => /^(GATEWAY|TLS)_/.test(name));

const open = ['GATEWAY_HOST', 'GATEWAY_PUBLIC_URL'];
const secured = ['GATEWAY_HOST', 'GATEWAY_PUBLIC_URL', 'GATEWAY_TLS_CERT', 'GATEWAY_TLS_KEY'];
const modes: [name: string, tls: 'auto' | 'files' | 'off', args: string[], sets: string[]][] = [
  ['auto', 'auto', [], open],
  ['files', 'files', files, [...secured, 'TLS_CERT', 'TLS_KEY']],
  ['off', 'off', [], []],
  ['off with files for the gateway', 'off', files, secured],
];

test.each(modes.flatMap((from) => modes.map((to) => ({ from, to, names: `${from[0]} to ${to[0]}` }))))(
  'a change of the mode keeps no TLS_* or GATEWAY_* setting that the new mode does not set: $names',
  ({ from: [, before, first], to: [, tls, args, sets] }) => {
    const written = after(after('PORT=3000\nGATEWAY_DNS=127.0.0.1\n', before, ...first), tls, ...args);
    // A second run in the same mode keeps the gateway's certificate.
    const own = before === tls && first.length > args.length ? secured : sets;
    expect(gatewayOf(written).toSorted()).toEqual(['GATEWAY_DNS', ...own].toSorted());
    expect(written).toContain(`PORT=3000\n`);
  },
);

test('setup keeps the address of a gateway without a certificate only with GATEWAY_PLAIN=anyone or GATEWAY_PROXY_PROTOCOL', () => {
  const plain = 'GATEWAY_HOST=0.0.0.0\nGATEWAY_PUBLIC_URL=https://lb.test:3128\n';
  expect(gatewayOf(after(plain, 'off'))).toEqual([]);
  expect(say).toHaveBeenLastCalledWith(setupPhrases.gatewayWithoutTls());
  vi.mocked(say).mockClear();
  const wanted = `${plain}GATEWAY_PLAIN=anyone\n`;
  expect(after(wanted, 'off')).toContain(wanted);
  expect(say).not.toHaveBeenCalled();
  expect(after(after(wanted, 'auto'), 'off')).not.toContain('GATEWAY_PLAIN');
  const balanced = 'GATEWAY_PUBLIC_URL=https://lb.test:3128\nGATEWAY_PROXY_PROTOCOL=127.0.0.1\n';
  expect(after(balanced, 'off')).toContain(balanced);
});
