import { parseArgs } from 'node:util';
import { chance } from '../support/seeded.ts';
import type { Finding } from './finding.ts';
import { type History, randomHistory } from './history.ts';
import { play } from './play.ts';
import { shrink } from './shrink.ts';

/**
 * The search for free money: `npm run free-money -- --minutes 60`, or `--seed 7 --runs 1` for one
 * history again. Accounts of one owner, among others, try what they like around gaps, silent, halted
 * and closing markets; what must hold is judged after every entry. A history in which it does not is
 * made as short as it can be and printed.
 */

export type SearchReport = {
  readonly runs: number;
  readonly entries: number;
  /** How often what is judged came up. */
  readonly reached: Readonly<Record<string, number>>;
  readonly found: readonly Found[];
};

export type Found = {
  readonly seed: number;
  readonly finding: Finding;
  readonly history: History;
};

export type SearchOptions = {
  readonly seed: number;
  /** Histories, or as many as there is time for. */
  readonly runs: number;
  readonly untilMs?: number;
  /** Findings after which it ends. */
  readonly findings?: number;
  readonly tell?: (line: string) => void;
};

export function search(options: SearchOptions): SearchReport {
  const reached = new Map<string, number>();
  const found: Found[] = [];
  let entries = 0;
  let runs = 0;
  const hasTime = (): boolean =>
    options.untilMs === undefined || performance.now() < options.untilMs;
  while (runs < options.runs && hasTime() && found.length < (options.findings ?? 1)) {
    const seed = options.seed + runs;
    runs += 1;
    const history = randomHistory(chance(seed));
    const played = playSeed(seed, history);
    entries += played.entries;
    for (const [what, times] of played.reached) reached.set(what, (reached.get(what) ?? 0) + times);
    if (played.finding !== undefined) found.push({ seed, finding: played.finding, history });
    if (runs % 1_000 === 0) options.tell?.(`${runs} histories, ${entries} entries`);
  }
  const sorted = [...reached].sort(([a], [b]) => (a < b ? -1 : 1));
  return { runs, entries, reached: Object.fromEntries(sorted), found };
}

function playSeed(seed: number, history: History): ReturnType<typeof play> {
  try {
    return play(history);
  } catch (error) {
    throw new Error(`the history of seed ${seed} stopped the engine`, { cause: error });
  }
}

/** A finding with the shortest history that still shows it, for whoever has to mend it. */
export function explain({ finding, history, seed }: Found): string {
  const short = shrink(history, finding.property);
  const steps = short.steps.map((step) => `  ${JSON.stringify(step)}`).join('\n');
  const said = play(short).finding?.message ?? finding.message;
  return `seed ${seed}: ${said}\n  ${JSON.stringify(short.opening)}\n${steps}`;
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string' },
      seed: { type: 'string' },
      runs: { type: 'string' },
      findings: { type: 'string' },
    },
  });
  const seed = Number(values.seed ?? Date.now() % 1_000_000_000);
  const minutes = Number(values.minutes ?? 60);
  console.log(`from seed ${seed}`);
  const report = search({
    seed,
    runs: Number(values.runs ?? Number.POSITIVE_INFINITY),
    untilMs: performance.now() + minutes * 60_000,
    findings: Number(values.findings ?? 1),
    tell: (line) => console.log(line),
  });
  console.log(JSON.stringify({ ...report, found: report.found.length }, undefined, 2));
  for (const found of report.found) console.log(explain(found));
  if (report.found.length > 0) process.exitCode = 1;
}
