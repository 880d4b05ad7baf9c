import { existsSync, readFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

/** Types and functions shared by all sections: table rows, the machine, CPU time and medians. */

export type Row = {
  readonly what: string;
  /** The measurement as text, such as `0.21 µs/op against 24 µs/op`. */
  readonly measured: string;
  /** The formatted number to compare with the target. */
  readonly result: string;
  /** The target, or an empty string if there is none. */
  readonly target: string;
  readonly isMet: boolean | undefined;
};

/**
 * `quick` inputs are about a tenth of the full ones. `tiny` inputs only show that the section runs.
 */
export type Scale = 'full' | 'quick' | 'tiny';
export type Section = (scale: Scale) => Promise<readonly Row[]>;

export function sized(scale: Scale, sizes: { full: number; quick: number; tiny: number }): number {
  return sizes[scale];
}

export function atLeast(
  what: string,
  measured: string,
  value: number,
  target: number,
  unit = '×',
): Row {
  const isMet = value >= target;
  return { what, measured, result: show(value) + unit, target: `≥ ${show(target)}${unit}`, isMet };
}

export function atMost(
  what: string,
  measured: string,
  value: number,
  target: number,
  unit = '×',
): Row {
  const isMet = value <= target;
  return { what, measured, result: show(value) + unit, target: `≤ ${show(target)}${unit}`, isMet };
}

/** Returns a row for a number without a target. */
export function noted(what: string, measured: string, value: number, unit = '×'): Row {
  return { what, measured, result: show(value) + unit, target: '', isMet: undefined };
}

export function skipped(what: string, why: string): Row {
  return { what, measured: why, result: 'skipped', target: '', isMet: undefined };
}

/** Formats a number with three significant digits and thousands separators. */
export function show(value: number): string {
  if (Math.abs(value) >= 1_000) return Math.round(value).toLocaleString('en-US');
  return String(Number(value.toPrecision(3)));
}

/** Returns the median. For an even number of values, it is the upper of the two middle values. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted[sorted.length >> 1];
  if (middle === undefined) throw new RangeError('a median of nothing');
  return middle;
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/**
 * Returns the median of the per-round ratios, because a busy period affects both sides of a round.
 */
export function medianRatio(over: readonly number[], under: readonly number[]): number {
  return median(over.map((value, round) => value / (under[round] ?? Number.NaN)));
}

/** Returns the CPU time of synchronous work in ms, summed over all of this process's threads. */
export function cpuMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

export async function cpuMsOf(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** Collects garbage if Node runs with `--expose-gc`; otherwise, does nothing. */
export function collectGarbage(): void {
  globalThis.gc?.();
}

/**
 * Collects garbage and waits until V8's threads have finished sweeping and compiling, because
 * otherwise their CPU time would be counted.
 */
export async function settleHeap(): Promise<void> {
  collectGarbage();
  for (let look = 0; look < QUIET_LOOKS_MAX; look++) {
    const spentMs = await cpuMsOf(() => setTimeout(QUIET_LOOK_MS));
    if (spentMs < QUIET_LOOK_MS / 10) return;
  }
}

const QUIET_LOOK_MS = 20;
const QUIET_LOOKS_MAX = 50;

/** Throws if a benchmark computed the wrong result, because its time would be meaningless. */
export function same<Value>(what: string, found: Value, expected: Value): void {
  if (found === expected) return;
  throw new Error(`${what}: ${String(found)}, not ${String(expected)}; the times are worthless`);
}

/** Returns a source of pseudo-random numbers with a fixed seed (xorshift32). */
export function createRandom(seed: number): { below: (limit: number) => number } {
  let state = seed | 0 || 1;
  return {
    below(limit) {
      state ^= state << 13;
      state ^= state >>> 17;
      state ^= state << 5;
      return Math.floor(((state >>> 0) / 2 ** 32) * limit);
    },
  };
}

export function machine(): string {
  const model = cpus()[0]?.model ?? 'unknown CPU';
  const memoryGib = Math.round(totalmem() / 2 ** 30);
  return (
    `${model}, ${cpus().length} cores, ${memoryGib} GiB, ${process.platform} ${process.arch}, ` +
    `Node ${process.versions.node}, commit ${commit()}`
  );
}

/** Returns the current commit. Uncommitted changes are not shown. */
function commit(): string {
  const git = join(import.meta.dirname, '..', '.git');
  const headFile = join(git, 'HEAD');
  if (!existsSync(headFile)) return 'unknown';
  const head = readFileSync(headFile, 'utf8').trim();
  if (!head.startsWith('ref: ')) return head.slice(0, 12);
  const name = head.slice(5);
  const loose = join(git, name);
  if (existsSync(loose)) return readFileSync(loose, 'utf8').slice(0, 12);
  const packed = join(git, 'packed-refs');
  const lines = existsSync(packed) ? readFileSync(packed, 'utf8').split('\n') : [];
  return lines.find((line) => line.endsWith(` ${name}`))?.slice(0, 12) ?? 'unknown';
}

export function table(rows: readonly Row[]): string {
  const head = ['', 'Measured', 'Result', 'Target', ''];
  const lines = rows.map(({ what, measured, result, target, isMet }) => [
    what,
    measured,
    result,
    target,
    isMet === undefined ? '' : isMet ? 'met' : 'MISSED',
  ]);
  const widths = head.map((title, column) =>
    Math.max(...[head, ...lines].map((line) => (line[column] ?? title).length), 3),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`;
  return [line(head), rule, ...lines.map(line)].join('\n');
}
