import { readdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { scriptPhrases } from '@propusk/phrases/launcher';
import { installPackages } from '../scripts/debian.ts';
import { machine, report } from './harness/report.ts';
import type { Bench, Row } from './harness/row.ts';

/**
 * `npm run bench [-- NAME …]` measures the named rows, or all, beside the usual alternatives, and writes
 * each into its section of bench/results.md. `npm run bench:quick` takes two minutes and prints ratios for
 * a review.
 */
const print = (text: string) => process.stdout.write(`${text}\n`);
const wanted = process.argv.slice(2).filter((each) => each !== '--quick');
const quick = process.argv.includes('--quick');
const bench: Bench = quick
  ? { quick, rounds: 2, ms: 800, say: print }
  : { quick, rounds: 5, ms: 1_200, say: print };
const results = new URL('./results.md', import.meta.url);
const head = '# The bench\n\nWritten by `npm run bench`. Ratios count; absolute figures are this machine’s.';

const folder = new URL('./rows/', import.meta.url);
const rows: Row[] = [];
for (const file of readdirSync(folder).sort()) rows.push((await import(new URL(file, folder).href)).row);
const chosen = rows.filter(({ name, quick: short }) =>
  wanted.length > 0 ? wanted.includes(name) : !quick || short,
);
if (chosen.length === 0) {
  print(scriptPhrases.noBenchRow(rows.map(({ name }) => name)));
  process.exit(1);
}
await installPackages(['squid'], print);

let failed = false;
for (const row of chosen) {
  const started = performance.now();
  const on = machine();
  try {
    const text = `${report(row, await row.run(bench))}\n\n${on}`;
    if (!quick) await keep(row, text);
    print(`\n${text}\n\n(${((performance.now() - started) / 1000).toFixed(0)} s)`);
  } catch (error) {
    // A failed row must not lose the other rows' minutes of measurement.
    failed = true;
    print(`\n## ${row.title}\n\n${error instanceof Error ? error.stack : String(error)}`);
  }
}
process.exit(failed ? 1 : 0);

/** Replaces a row's section in the results, or appends it. */
async function keep({ title }: Row, text: string): Promise<void> {
  const before = await readFile(results, 'utf8').catch(() => '');
  const sections = before
    .split(/^(?=## )/m)
    .slice(1)
    .map((each) => each.trim());
  const at = sections.findIndex((each) => each.startsWith(`## ${title}\n`));
  if (at === -1) sections.push(text);
  else sections[at] = text;
  await writeFile(results, `${[head, ...sections].join('\n\n')}\n`);
}
