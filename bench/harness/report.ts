import { execFileSync } from 'node:child_process';
import { cpus, loadavg, totalmem } from 'node:os';
import { met, type Ratio, type Result, type Row, short, type Table } from './row.ts';

/** Renders results as Markdown, for the terminal and bench/results.md. */

/** The tables, ratios and notes of one row. */
export function report({ title }: Row, { tables, ratios, notes }: Result): string {
  const parts = [`## ${title}`, ...tables.map(table)];
  if (ratios.length > 0)
    parts.push(table({ title: 'Bars', head: ['what', 'seen', 'bar', ''], lines: ratios.map(line) }));
  return [...parts, ...notes].join('\n\n');
}

const line = (ratio: Ratio) => [
  ratio.what,
  `${short(ratio.value)}${ratio.unit ?? ''}${range(ratio)}`,
  `${ratio.atLeast ? '≥' : '≤'} ${ratio.bar}${ratio.unit ?? ''}`,
  met(ratio) ? 'met' : '**missed**',
];

const range = ({ rounds = [] }: Ratio) =>
  rounds.length < 2 ? '' : ` (${short(Math.min(...rounds))}–${short(Math.max(...rounds))})`;

function table({ title, head, lines }: Table): string {
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [`**${title}**`, '', row(head), row(head.map(() => '---')), ...lines.map(row)].join('\n');
}

/** Describes the machine and the versions of a measurement. */
export function machine(): string {
  const [cpu] = cpus();
  const load = loadavg().map((each) => each.toFixed(1));
  return [
    `${cpus().length} × ${cpu?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB, Linux ${kernel()}, Node.js ${process.versions.node}.`,
    `${firstLine('squid', '-v')}, proxy-chain 3.0.1.`,
    `Load of the machine when it began: ${load.join(', ')} (1, 5, 15 min; above ${cpus().length} others take the cores away, and figures by the clock say little).`,
  ].join(' ');
}

const kernel = () => execFileSync('uname', ['-r']).toString().trim();

function firstLine(program: string, ...args: string[]): string {
  return execFileSync(program, args).toString().split('\n', 1)[0] ?? '';
}
