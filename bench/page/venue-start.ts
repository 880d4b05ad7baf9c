import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { REPOSITORY, Venue } from '../../tests/support/venue-process.ts';
import { buildPageOnce } from '../../tests/web/support/build-once.ts';
import { atMost, median, medianRatio, noted, type Row } from '../report.ts';
import { type Measured, type PageScale, percentile, type Stage, wait } from './stage.ts';

/**
 * Measures how the page affects a venue's start: with no page, with an up-to-date page, and with a
 * page that must be built.
 */

const KINDS = ['none', 'fresh', 'stale'] as const;
type Kind = (typeof KINDS)[number];

const ROUNDS: Readonly<Record<PageScale, number>> = { full: 5, quick: 1 };
const DELAY_MAX = 1.1;
const ASKED_FOR_MS = 6_000;
const ASKED_EVERY_MS = 25;
const PAGE_MS_MAX = 120_000;
const STAMP = join(REPOSITORY, 'packages', 'web', 'dist', 'page', 'built-of.txt');

type Start = {
  /** Milliseconds from running the command to the first API response. */
  readonly answeredMs: number;
  /** Response times, in milliseconds, during the following seconds, in which a build may run. */
  readonly answersMs: readonly number[];
  /** Milliseconds from running the command to the first response with the page. */
  readonly pageMs: number | undefined;
};

export async function venueStart({ scale }: Pick<Stage, 'scale'>): Promise<Measured> {
  await buildPageOnce();
  const starts: Record<Kind, Start[]> = { none: [], fresh: [], stale: [] };
  // The first start is not measured. It fills the file cache and compiles code.
  await start('none');
  for (let round = 0; round < ROUNDS[scale]; round++) {
    for (const kind of KINDS) starts[kind].push(await start(kind));
  }
  return { rows: rowsOf(starts), details: starts };
}

function rowsOf(starts: Readonly<Record<Kind, readonly Start[]>>): readonly Row[] {
  const answered = (kind: Kind): readonly number[] =>
    starts[kind].map(({ answeredMs }) => answeredMs);
  const answers = (kind: Kind): readonly number[] =>
    starts[kind].flatMap(({ answersMs }) => answersMs);
  const page = (kind: Kind): number => median(starts[kind].map(({ pageMs }) => pageMs ?? NaN));
  const against = (kind: Kind): Row =>
    atMost(
      `start: first answer of the API, page ${kind}`,
      `${Math.round(median(answered(kind)))} ms against ${Math.round(median(answered('none')))} ms without a page`,
      medianRatio(answered(kind), answered('none')),
      DELAY_MAX,
    );
  return [
    against('fresh'),
    against('stale'),
    ...KINDS.map((kind) =>
      noted(
        `start: answers in the ${ASKED_FOR_MS / 1_000} s after it, page ${kind}, p99`,
        `median ${percentile(answers(kind), 50).toFixed(1)} ms`,
        percentile(answers(kind), 99),
        ' ms',
      ),
    ),
    noted('start: the page is served, fresh', 'from the command on', page('fresh'), ' ms'),
    noted('start: the page is served, stale', 'built meanwhile', page('stale'), ' ms'),
  ];
}

async function start(kind: Kind): Promise<Start> {
  if (kind === 'stale') await makeStale();
  const startedMs = performance.now();
  const since = (): number => performance.now() - startedMs;
  const web = kind === 'none' ? [] : ['--web'];
  const venue = await Venue.start(['--oracle', 'still', '--no-limits', '--no-bots', ...web]);
  try {
    await ask(venue.url);
    const answeredMs = since();
    const shown = kind === 'none' ? undefined : pageShown(venue.url).then(since);
    const answersMs: number[] = [];
    while (since() < answeredMs + ASKED_FOR_MS) {
      const askedMs = performance.now();
      await ask(venue.url);
      answersMs.push(performance.now() - askedMs);
      await wait(ASKED_EVERY_MS);
    }
    return { answeredMs, answersMs, pageMs: await shown };
  } finally {
    await venue.remove();
  }
}

/** Marks the built page as outdated, as a change to its sources would. */
async function makeStale(): Promise<void> {
  await readFile(STAMP);
  await writeFile(STAMP, 'something else\n');
}

async function ask(url: string): Promise<void> {
  const reply = await fetch(`${url}/info`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"type":"perpMeta"}',
  });
  if (!reply.ok) throw new Error(`The venue answered ${reply.status}: ${await reply.text()}`);
  await reply.text();
}

async function pageShown(url: string): Promise<void> {
  const deadline = Date.now() + PAGE_MS_MAX;
  while (Date.now() < deadline) {
    const reply = await fetch(url, { headers: { accept: 'text/html' } });
    await reply.text();
    if (reply.ok) return;
    await wait(50);
  }
  throw new Error('The page was not there in time');
}
