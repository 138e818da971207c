/** A row of the bench: what it measures, its peers, and its bar. Each row is a file in bench/rows. */
export interface Row {
  /** Its name on the command line: `npm run bench -- NAME`. */
  readonly name: string;
  readonly title: string;
  /** Whether `npm run bench:quick` runs it. */
  readonly quick: boolean;
  run(bench: Bench): Promise<Result>;
}

export interface Bench {
  readonly quick: boolean;
  /** Number of measurements of each program; the programs take turns. */
  readonly rounds: number;
  readonly ms: number;
  say(line: string): void;
}

export interface Result {
  readonly tables: readonly Table[];
  readonly ratios: readonly Ratio[];
  /** Facts needed to read the figures. */
  readonly notes: readonly string[];
}

export interface Table {
  readonly title: string;
  readonly head: readonly string[];
  readonly lines: readonly (readonly string[])[];
}

/** A measured figure with the limit that it must keep. */
export interface Ratio {
  readonly what: string;
  readonly value: number;
  /** The figures of the single rounds. */
  readonly rounds?: readonly number[];
  readonly bar: number;
  /** True when higher is better. */
  readonly atLeast: boolean;
  readonly unit?: string;
}

export const met = ({ value, bar, atLeast }: Ratio) => (atLeast ? value >= bar : value <= bar);

export function median(figures: readonly number[]): number {
  const sorted = [...figures].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}

/** Half the range, as a share of the median. */
function spread(figures: readonly number[]): number {
  return (Math.max(...figures) - Math.min(...figures)) / 2 / median(figures);
}

/** Renders a table line: a name, the median of its figures, and their spread. */
export function middleLine(name: string, figures: readonly number[]): string[] {
  return [name, short(median(figures)), apart(figures)];
}

/** The spread as a table shows it. */
export const apart = (figures: readonly number[]) => `± ${Math.round(spread(figures) * 100)} %`;

/** A figure with three significant digits. */
export function short(figure: number): string {
  if (!Number.isFinite(figure)) return '–';
  const digits = Math.abs(figure) >= 100 ? 0 : Math.abs(figure) >= 10 ? 1 : 2;
  return figure.toLocaleString('en', { maximumFractionDigits: digits });
}
