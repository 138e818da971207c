import { readFileSync, writeFileSync } from 'node:fs';
import manifest from '../../apps/api/package.json' with { type: 'json' };
import { contract } from './contract-docs.ts';
import { describeCalls } from './document.ts';

/**
 * `npm run docs` writes the OpenAPI document, which is derived from the contract and its comments. The api serves the file, so it
 * needs no TypeScript parser. `npm run check` fails when the file is not current, or when a call, schema, field or error code has no
 * comment.
 */
const FILE = 'apps/api/src/http/openapi.json';

/** Formats a value as JSON. Values deeper than `depth` share a line, so that a change of one call changes few lines. */
function format(value: unknown, depth: number, indent = ''): string {
  if (depth === 0 || typeof value !== 'object' || value === null) return JSON.stringify(value);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const inner = `${indent} `;
  const lines = Object.entries(value).map(
    ([key, each]) =>
      `${inner}${Array.isArray(value) ? '' : `${JSON.stringify(key)}: `}${format(each, depth - 1, inner)}`,
  );
  return lines.length === 0 ? `${open}${close}` : `${open}\n${lines.join(',\n')}\n${indent}${close}`;
}

const faults = contract.missing.map((path) => `${path}: the contract has no comment for it`);
if (faults.length === 0) {
  const current = `${format(describeCalls(manifest.version), 5)}\n`;
  if (process.argv[2] !== 'check') writeFileSync(FILE, current);
  else if (readFileSync(FILE, 'utf8') !== current)
    faults.push(`${FILE} is not current: run \`npm run docs\``);
}
for (const fault of faults) process.stderr.write(`${fault}\n`);
process.exit(faults.length === 0 ? 0 : 1);
