/** A straight line through samples of a figure that must not grow. */
export interface Trend {
  /** The mean of the block means. */
  readonly mean: number;
  /** Growth an hour in percent of the mean, and half the width of its 95 % interval. */
  readonly percentPerHour: number;
  readonly error: number;
}

export interface Sample {
  readonly ms: number;
  readonly value: number;
}

/**
 * Fits a line by least squares through the means of blocks. Samples within a block are correlated, because
 * the load repeats in it; a fit through single samples would report too small an error.
 * @param blockMs a whole period of the load @returns an infinite error below three blocks
 */
export function fitTrend(samples: readonly Sample[], blockMs: number): Trend {
  const blocks = blockMeans(samples, blockMs);
  const mean = average(blocks.map(({ value }) => value));
  const middle = average(blocks.map(({ ms }) => ms));
  const spread = sum(blocks.map(({ ms }) => (ms - middle) ** 2));
  const slope = sum(blocks.map(({ ms, value }) => (ms - middle) * (value - mean))) / spread;
  const residual = sum(blocks.map(({ ms, value }) => (value - mean - slope * (ms - middle)) ** 2));
  const free = blocks.length - 2;
  const deviation = free > 0 ? Math.sqrt(residual / free / spread) : Infinity;
  // Student's t at 95 %, accurate to 2 % from three degrees of freedom on.
  const t = 1.96 + 2.4 / free + 2.8 / free ** 2;
  const share = (100 * 3_600_000) / mean;
  return { mean, percentPerHour: slope * share, error: free > 0 ? t * deviation * share : Infinity };
}

function blockMeans(samples: readonly Sample[], blockMs: number): Sample[] {
  const start = samples[0]?.ms ?? 0;
  const blocks = Map.groupBy(samples, ({ ms }) => Math.floor((ms - start) / blockMs));
  return [...blocks.values()].map((block) => ({
    ms: average(block.map(({ ms }) => ms)),
    value: average(block.map(({ value }) => value)),
  }));
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
const average = (values: readonly number[]) => sum(values) / values.length;
