import { parseArgs } from 'node:util';
import { seededRandom } from '../support/seeded.ts';
import { Figures } from './figures.ts';
import type { Finding } from './finding.ts';
import { type History, randomHistory } from './history.ts';
import { mutated, randomOpenHistory } from './open-history.ts';
import { play, type Played } from './play.ts';
import { shrink } from './shrink.ts';

/**
 * Searches for risk-free gains: `npm run free-money -- --minutes 60`, or `--world open --seed 7
 * --runs 1` to repeat a single history. In the closed world, one owner's accounts and others act at
 * random around price gaps and in stale, halted and closing markets. In the open world, the owner's
 * accounts attack the book among honest makers and holders over hours of funding. All properties
 * are checked after every entry. A history that violates one is shortened as far as possible and
 * printed.
 */

const WORLDS = {
  closed: { random: randomHistory, rounds: 1 },
  open: { random: randomOpenHistory, rounds: 6 },
} as const;

export type World = keyof typeof WORLDS;

export type SearchReport = {
  readonly runs: number;
  readonly entries: number;
  readonly reached: Readonly<Record<string, number>>;
  readonly figures: Readonly<Record<string, number | string>>;
  readonly found: readonly Found[];
};

export type Found = {
  readonly world: World;
  readonly seed: number;
  readonly finding: Finding;
  readonly history: History;
};

export type SearchOptions = {
  /**
   * Each seed produces one history of each world. In the open world, the search continues with
   * mutations of whichever history has the larger gain.
   */
  readonly worlds: readonly World[];
  readonly seed: number;
  /** The number of seeds, unless the time limit is reached first. */
  readonly runs: number;
  readonly untilMs?: number;
  /** The search ends after this many findings. */
  readonly findings?: number;
  readonly report?: (line: string) => void;
};

const REPORT_EVERY_MS = 60_000;

export function search(options: SearchOptions): SearchReport {
  const figures = new Figures();
  const found: Found[] = [];
  const { findings = 1, seed: firstSeed, report, untilMs = Infinity, worlds } = options;
  const hasTime = (): boolean => performance.now() < untilMs && found.length < findings;
  let nextReportMs = performance.now() + REPORT_EVERY_MS;
  for (let run = 0; run < options.runs && hasTime(); run++) {
    for (const world of worlds) {
      if (!hasTime()) break;
      const seed = firstSeed + run;
      const here = searchSeed(world, seed, figures);
      if (here === undefined) continue;
      found.push(here);
      report?.(`${world} world, seed ${seed}: ${here.finding.message}`);
    }
    if (report === undefined || performance.now() < nextReportMs) continue;
    nextReportMs += REPORT_EVERY_MS;
    report(JSON.stringify({ seeds: run + 1, ...figures.summary() }));
  }
  const { entries, reached, runs } = figures;
  return { runs, entries, reached: reached(), figures: figures.summary(), found };
}

/**
 * Runs a seed's history and then mutations, each based on the history with the largest gain so far.
 */
function searchSeed(world: World, seed: number, figures: Figures): Found | undefined {
  const random = seededRandom(seed);
  let best = WORLDS[world].random(random);
  let mostE10 = -1n;
  for (let round = 0; round < WORLDS[world].rounds; round++) {
    const history = round === 0 ? best : mutated(best, random);
    const played = playSeed(world, seed, history);
    figures.add(played);
    const { finding, funding } = played;
    if (finding !== undefined) return { world, seed, finding, history };
    if (funding.worstE10 <= mostE10) continue;
    mostE10 = funding.worstE10;
    best = history;
  }
  return undefined;
}

function playSeed(world: World, seed: number, history: History): Played {
  try {
    return play(history);
  } catch (error) {
    throw new Error(`a history of seed ${seed} in the ${world} world stopped the engine`, {
      cause: error,
    });
  }
}

/** Describes a finding using the shortest history that still reproduces it. */
export function explain({ finding, history, seed, world }: Found): string {
  const short = shrink(history, finding.property);
  const steps = short.steps.map((step) => `  ${JSON.stringify(step)}`).join('\n');
  const message = play(short).finding?.message ?? finding.message;
  return `${world} world, seed ${seed}: ${message}\n  ${JSON.stringify(short.opening)}\n${steps}`;
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string' },
      world: { type: 'string' },
      seed: { type: 'string' },
      runs: { type: 'string' },
      findings: { type: 'string' },
    },
  });
  const seed = Number(values.seed ?? Date.now() % 1_000_000_000);
  const minutes = Number(values.minutes ?? 60);
  console.log(`from seed ${seed}`);
  const report = search({
    worlds: worldsNamed(values.world),
    seed,
    runs: Number(values.runs ?? Number.POSITIVE_INFINITY),
    untilMs: performance.now() + minutes * 60_000,
    findings: Number(values.findings ?? 1),
    report: (line) => console.log(line),
  });
  console.log(JSON.stringify({ ...report, found: report.found.length }, undefined, 2));
  for (const found of report.found) console.log(explain(found));
  if (report.found.length > 0) process.exitCode = 1;
}

function worldsNamed(name: string | undefined): readonly World[] {
  if (name === undefined) return ['closed', 'open'];
  if (name !== 'closed' && name !== 'open') throw new Error('--world is closed or open');
  return [name];
}
