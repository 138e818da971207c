import { spawn } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { scriptPhrases } from '@propusk/phrases/launcher';
import { buildConsole } from '@propusk/supervisor/build-console';
import { runCommand, say } from '@propusk/supervisor/command';
import { type Figures, type Threat, threats } from '@propusk/test-kit/threat-case';
import { type DebianPackage, installPackages, programs } from './debian.ts';
import { filesByThreat } from './threat-files.ts';

/**
 * `npm run soak`: runs the tests of every threat of `threat-case.ts` with many more attempts. Prints a table of attempts tried,
 * blocked and missed, and writes it into .cache/soak.md. Fails when an attempt was missed, or a threat has no figure.
 *
 *   npm run soak            everything
 *   npm run soak kill       threats and files whose name contains `kill`
 *   npm run soak growth     two hours by default, SOAK_MINUTES minutes when set; ten minutes within a full soak
 */
const rows = `${process.cwd()}/.cache/soak.jsonl`;
const table = '.cache/soak.md';
const filesOf = filesByThreat();
/** Duration of the growth test. Its verdict needs at least an hour, so only `npm run soak growth` runs that long. */
const minutes = process.env.SOAK_MINUTES ?? (process.argv[2] === 'growth' ? '120' : '10');
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

/** Selects threats and files whose name contains the argument. */
function choose(wanted: string): { chosen: readonly Threat[]; files: readonly string[] } {
  const inName = (text: string) => text.toLowerCase().includes(wanted.toLowerCase());
  const chosen = threats.filter((threat) => inName(threat) || filesOf[threat].some(inName));
  const files = chosen.flatMap((threat) => filesOf[threat].filter((file) => inName(threat) || inName(file)));
  return { chosen, files: [...new Set(files)] };
}

/** Reads the results of the threat cases, one JSON line each. */
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

await runCommand(
  async () => {
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
    // Build the console: browser tests open it, and tests of the whole product request its files.
    await buildConsole(say);
    let failed = false;
    // One file at a time: the load of one case would disturb the timing of another, and all share one database.
    const projects = ['unit', 'net', 'waiting', 'launcher', 'db'].map((name) => `--project=${name}`);
    if (tests.length > 0)
      failed = (await run('vitest', ['run', '--no-file-parallelism', ...projects, ...tests])) !== 0;
    if (specs.length > 0)
      failed =
        (await run('playwright', [
          'test',
          '--workers=1',
          '--config',
          'e2e/playwright.config.ts',
          ...specs,
        ])) !== 0 || failed;
    const figures = await readFigures();
    const text = tableOf(chosen, figures);
    await writeFile(table, `${text}\n`);
    const taken = ((performance.now() - started) / 60_000).toFixed(1);
    const silent = chosen.filter((threat) => !figures.some((one) => one.threat === threat));
    const missed = figures.reduce((sum, one) => sum + one.missed, 0);
    say(`\n${text}\n\n${missed} missed, ${silent.length} without a figure, ${taken} min; ${table}`);
    return !failed && missed === 0 && silent.length === 0 ? 0 : 1;
  },
  (error) => (error instanceof Error ? error.message : String(error)),
);
