import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Step } from './activity.ts';
import { type Left, lookInto } from './measure.ts';
import type { PhaseOptions, PhaseResult } from './phase.ts';

/**
 * Simulates a year in a venue's life in less than an hour: `npm run year -- [--days N] [--seed S]`.
 * At the end, memory, snapshots and start time must not be much larger than after the first week.
 */

const WEEK_DAYS = 7;
/** The largest factor by which a value may grow from the first week to the end. */
const GROWTH_MAX = 1.2;

export type Weight = Left & {
  /** The main thread's heap, which holds the state and all derived data. */
  readonly heapBytes: number;
  /** The heap of the indexer's thread. */
  readonly indexerBytes: number;
  /** The process's memory, including uncollected garbage. It has no limit. */
  readonly residentBytes: number;
  /**
   * The shortest of several times from the call until the venue serves requests, in milliseconds.
   */
  readonly startMs: number;
};

export type YearReport = {
  readonly days: number;
  readonly seconds: number;
  readonly week: Weight;
  readonly end: Weight;
};

export async function liveThrough(options: {
  readonly days: number;
  readonly seed: number;
  readonly step: Step;
  /** The number of restarts used for this measurement. */
  readonly starts: number;
}): Promise<YearReport> {
  const startedMs = performance.now();
  const folder = await mkdtemp(join(tmpdir(), 'oddlot-year-'));
  try {
    const { days, starts, ...others } = options;
    const common = { folder, ...others };
    const first = await phase({ ...common, fromDay: 0, toDay: WEEK_DAYS });
    const week = await weigh(first, { ...common, starts, day: WEEK_DAYS });
    const { memory } = first;
    const rest = await phase({ ...common, memory, fromDay: WEEK_DAYS, toDay: days });
    const end = await weigh(rest, { ...common, starts, day: days });
    const seconds = Math.round((performance.now() - startedMs) / 1_000);
    return { days, seconds, week, end };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Runs a phase, forwards its progress, and returns its last line as the result. */
async function phase(options: PhaseOptions): Promise<PhaseResult> {
  const program = join(import.meta.dirname, 'phase.ts');
  const child = spawn(process.execPath, [program, JSON.stringify(options)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`days ${options.fromDay} to ${options.toDay} ended with ${code}`);
  return JSON.parse(output.trim().split('\n').at(-1) ?? '') as PhaseResult;
}

async function weigh(
  { memory, startMs: _, ...sizes }: PhaseResult,
  {
    day,
    starts: count,
    ...common
  }: Omit<PhaseOptions, 'fromDay' | 'toDay'> & { readonly day: number; readonly starts: number },
): Promise<Weight> {
  const left = await lookInto(common.folder);
  const starts: number[] = [];
  while (starts.length < count) {
    const { startMs } = await phase({ ...common, memory, fromDay: day, toDay: day });
    starts.push(startMs);
  }
  return { ...left, ...sizes, startMs: Math.min(...starts) };
}

/** Returns the measurements that exceed their limits. */
export function grownOf({ end, week }: YearReport, measured: readonly (keyof Sizes)[]): string[] {
  return measured
    .filter((what) => end[what] > GROWTH_MAX * week[what])
    .map((what) => `${what}: ${Math.round(week[what])} → ${Math.round(end[what])}`);
}

type Sizes = Pick<Weight, 'heapBytes' | 'indexerBytes' | 'snapshotBytes' | 'startMs'>;
const SIZES: readonly (keyof Sizes)[] = ['heapBytes', 'indexerBytes', 'snapshotBytes', 'startMs'];

/** Returns a table of the numbers. The parts of the snapshot are sorted by how much they grew. */
export function reportTable(report: YearReport): string {
  const { days, end, seconds, week } = report;
  const lines = [`${days} days in ${seconds} s; after a week, at the end`];
  const line = (what: string, before: number, after: number): void => {
    const times = before === 0 ? '' : `${(after / before).toFixed(2)}x`;
    const shown = [before, after].map((each) => Math.round(each).toLocaleString('en').padStart(14));
    lines.push(`${what.padEnd(34)} ${shown.join(' ')} ${times.padStart(8)}`);
  };
  for (const what of [...SIZES, 'residentBytes'] as const) line(what, week[what], end[what]);
  const growth = (name: string): number => (end.parts[name] ?? 0) - (week.parts[name] ?? 0);
  for (const name of Object.keys(end.parts).toSorted((a, b) => growth(b) - growth(a))) {
    if (growth(name) > 100) line(`  ${name}`, week.parts[name] ?? 0, end.parts[name] ?? 0);
  }
  for (const [name, bytes] of Object.entries(end.folderBytes)) {
    line(`on disk: ${name}`, week.folderBytes[name] ?? 0, bytes);
  }
  const grown = grownOf(report, SIZES);
  lines.push(grown.length === 0 ? 'nothing has grown' : `GROWN ${grown.join(', ')}`);
  return lines.join('\n');
}

if (process.argv[1] === import.meta.filename) {
  const { values } = parseArgs({
    options: {
      days: { type: 'string', default: '365' },
      seed: { type: 'string', default: '1' },
      step: { type: 'string', default: '15m' },
    },
  });
  const step = values.step === '1h' ? '1h' : '15m';
  const numbers = { days: Number(values.days), seed: Number(values.seed), starts: 5 };
  const options = { ...numbers, step } as const;
  const report = await liveThrough(options);
  process.stdout.write(`${reportTable(report)}\n`);
  if (grownOf(report, SIZES).length > 0) process.exitCode = 1;
}
