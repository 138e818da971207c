import { spawn } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { scriptPhrases } from '@propusk/phrases/launcher';
import { buildConsole } from '@propusk/supervisor/build-console';
import { type Figures, type Threat, threats } from '@propusk/test-kit/threat-case';
import { type DebianPackage, installPackages, programs } from './debian.ts';
import { rowFiles } from './soak-rows.ts';

/**
 * `npm run soak`: every threat of docs/trust.md, tried many times; prints a table of what was tried, held and missed, and
 * leaves it in .cache/soak.md. Fails when something was missed, or a threat brought no figure.
 *
 *   npm run soak            everything
 *   npm run soak kill       threats and files that have it in their name
 *   npm run soak growth     two hours by default; SOAK_MINUTES says how many minutes. As a part of everything it takes ten
 */
const say = (line: string) => process.stdout.write(`${line}\n`);
const rows = `${process.cwd()}/.cache/soak.jsonl`;
const table = '.cache/soak.md';
/** How long the growth is watched: judged from an hour on, so that it is asked for by its name. */
const minutes = process.env.SOAK_MINUTES ?? (process.argv[2] === 'growth' ? '120' : '10');
/** Beyond any machine that the product is for. */
const LIMIT_MS = (60 + Number(minutes)) * 60_000;

function run(program: string, args: string[]): Promise<number> {
  const child = spawn(program, args, {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, SOAK_ROWS: rows, SOAK_MINUTES: minutes },
    timeout: LIMIT_MS,
  });
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  return new Promise((resolve) => child.on('exit', (code) => resolve(code ?? 1)));
}

/** What was asked for by a part of its name: the threats, and the files to run for them. */
function choose(wanted: string): { chosen: readonly Threat[]; files: readonly string[] } {
  const inName = (text: string) => text.toLowerCase().includes(wanted.toLowerCase());
  const chosen = threats.filter((threat) => inName(threat) || rowFiles[threat].some(inName));
  const files = chosen.flatMap((threat) => rowFiles[threat].filter((file) => inName(threat) || inName(file)));
  return { chosen, files: [...new Set(files)] };
}

/** The lines that the rows wrote; none when none did. */
async function readFigures(): Promise<Figures[]> {
  const text = await readFile(rows, 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Figures);
}

function tableOf(chosen: readonly Threat[], figures: readonly Figures[]): string {
  const lines = chosen.flatMap((threat) => {
    const own = figures.filter((one) => one.threat === threat);
    if (own.length === 0) return [`| ${threat} | no figure | | | |`];
    return own.map(({ tried, held, missed, note }) => {
      const cells = [threat, note.replaceAll('|', '\\|'), tried, held, missed];
      return `| ${cells.join(' | ')} |`;
    });
  });
  return ['| threat | what | tried | held | missed |', '|---|---|---:|---:|---:|', ...lines].join('\n');
}

try {
  const { chosen, files } = choose(process.argv[2] ?? '');
  if (chosen.length === 0) throw new Error(scriptPhrases.noThreat(process.argv[2], threats));
  const started = performance.now();
  await installPackages(Object.keys(programs) as DebianPackage[], say);
  await mkdir('.cache', { recursive: true });
  await rm(rows, { force: true });
  const [specs, tests] = [
    files.filter((file) => file.endsWith('.spec.ts')),
    files.filter((file) => !file.endsWith('.spec.ts')),
  ];
  let failed = false;
  // One file after the other, and one database: a row that measures time must not be disturbed by one that makes load.
  const projects = ['unit', 'net', 'launcher', 'db'].map((name) => `--project=${name}`);
  if (tests.length > 0)
    failed = (await run('vitest', ['run', '--no-file-parallelism', ...projects, ...tests])) !== 0;
  if (specs.length > 0) {
    await buildConsole(say);
    failed =
      (await run('playwright', ['test', '--workers=1', '--config', 'e2e/playwright.config.ts', ...specs])) !==
        0 || failed;
  }
  const figures = await readFigures();
  const text = tableOf(chosen, figures);
  await writeFile(table, `${text}\n`);
  const taken = ((performance.now() - started) / 60_000).toFixed(1);
  const silent = chosen.filter((threat) => !figures.some((one) => one.threat === threat));
  const missed = figures.reduce((sum, one) => sum + one.missed, 0);
  say(`\n${text}\n\n${missed} missed, ${silent.length} without a figure, ${taken} min; ${table}`);
  process.exit(!failed && missed === 0 && silent.length === 0 ? 0 : 1);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
