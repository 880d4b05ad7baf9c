import { existsSync, readFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';

/** What the sections share: rows of the table, the machine they ran on, CPU time and medians. */

/** One line of the table. */
export type Row = {
  readonly what: string;
  /** What was measured, in words: "0.21 µs/op against 24 µs/op". */
  readonly measured: string;
  /** The number that the target is about, as it is printed. */
  readonly result: string;
  /** Empty when the row has no target. */
  readonly target: string;
  readonly isMet: boolean | undefined;
};

/** A section: its full inputs, or a tenth of them with `quick`, or next to nothing with `tiny`. */
export type Scale = 'full' | 'quick' | 'tiny';
export type Section = (scale: Scale) => Promise<readonly Row[]>;

/** The input size of a scale. */
export function sized(scale: Scale, sizes: { full: number; quick: number; tiny: number }): number {
  return sizes[scale];
}

/** A number for which more is better. */
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

/** A number for which less is better. */
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

/** A number that nobody set a target for. */
export function noted(what: string, measured: string, value: number, unit = '×'): Row {
  return { what, measured, result: show(value) + unit, target: '', isMet: undefined };
}

/** A line of words instead of a number. */
export function skipped(what: string, why: string): Row {
  return { what, measured: why, result: 'skipped', target: '', isMet: undefined };
}

/** Three significant digits, thousands apart. */
export function show(value: number): string {
  if (Math.abs(value) >= 1_000) return Math.round(value).toLocaleString('en-US');
  return String(Number(value.toPrecision(3)));
}

/** The middle one; of an even number of values, the upper middle one. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted[sorted.length >> 1];
  if (middle === undefined) throw new RangeError('a median of nothing');
  return middle;
}

/** The value that so large a share of all values does not exceed. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** The median of the ratios of two series, round by round: a slow moment hits both sides. */
export function medianRatio(over: readonly number[], under: readonly number[]): number {
  return median(over.map((value, round) => value / (under[round] ?? Number.NaN)));
}

/** CPU time that a synchronous piece of work takes, all threads of this process, in ms. */
export function cpuMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** The same for work that waits. */
export async function cpuMsOf(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** Collects garbage when the process was started so that it can. */
export function collectGarbage(): void {
  globalThis.gc?.();
}

/** Stops a benchmark that computed something else than it should: its time means nothing. */
export function same<Value>(what: string, found: Value, expected: Value): void {
  if (found === expected) return;
  throw new Error(`${what}: ${String(found)}, not ${String(expected)}; the times are worthless`);
}

/** Numbers that look random and are the same in every run (xorshift32). */
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

/** The machine, the runtime and the commit, for the head of the table. */
export function machine(): string {
  const model = cpus()[0]?.model ?? 'unknown CPU';
  const memoryGib = Math.round(totalmem() / 2 ** 30);
  return (
    `${model}, ${cpus().length} cores, ${memoryGib} GiB, ${process.platform} ${process.arch}, ` +
    `Node ${process.versions.node}, commit ${commit()}`
  );
}

/** The commit that is checked out, read from the files of git; changes on top of it don't show. */
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

/** The table in Markdown. */
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
