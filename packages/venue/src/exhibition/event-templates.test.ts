import { expect, test } from 'vitest';
import { dueStarts } from './exhibition.ts';
import { EVENT_TEMPLATES, type EventTemplate, lastStartMs } from './event-templates.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
/** Midnight UTC on some day. The schedule repeats every three hours. */
const FROM_MS = 1_794_700_800_000;
const PERIOD_MS = 180 * MINUTE_MS;
/** The time that a new user needs to read a market, decide and trade, in milliseconds. */
const LEFT_MS = 10 * MINUTE_MS;

/**
 * Returns the longest time left in any running round of a template that a venue of this age has
 * listed.
 */
function mostLeftMs(template: EventTemplate, startedMs: number, nowMs: number): number {
  const listed = new Set([...dueStarts(template, startedMs), ...dueStarts(template, nowMs)]);
  const left = [...listed]
    .filter((startMs) => startMs <= nowMs)
    .map((startMs) => startMs + template.roundMs - nowMs);
  return Math.max(0, ...left);
}

test('every template always has a round with at least ten minutes left, whenever the venue started', () => {
  const short: string[] = [];
  for (let startedMs = FROM_MS; startedMs < FROM_MS + PERIOD_MS; startedMs += SECOND_MS) {
    // A round not listed because it is about to end does end within a minute, so later seconds need
    // not be checked.
    for (const laterMs of [0, SECOND_MS, MINUTE_MS / 2, MINUTE_MS]) {
      const nowMs = startedMs + laterMs;
      for (const template of EVENT_TEMPLATES) {
        const leftMs = mostLeftMs(template, startedMs, nowMs);
        if (leftMs < LEFT_MS) short.push(`${template.slug} at ${nowMs - FROM_MS}: ${leftMs}`);
      }
    }
  }
  expect(short).toEqual([]);
});

test('the templates include an event with a single question and a mutually exclusive event with several choices', () => {
  const plain = EVENT_TEMPLATES.filter(({ markets }) => markets.length === 1);
  const choices = EVENT_TEMPLATES.filter(
    ({ markets, mutuallyExclusive }) => mutuallyExclusive && markets.length > 2,
  );
  expect([plain.length > 0, choices.length > 0]).toEqual([true, true]);
});

test('rounds of two templates never end within two minutes of each other', () => {
  const ends = EVENT_TEMPLATES.flatMap((template) => {
    const first = lastStartMs(template, FROM_MS) + template.roundMs;
    return Array.from({ length: PERIOD_MS / template.everyMs }, (_, at) => ({
      slug: template.slug,
      atMs: (first + at * template.everyMs - FROM_MS) % PERIOD_MS,
    }));
  }).sort((a, b) => a.atMs - b.atMs);
  const first = ends[0]!;
  const apart = ends.map(({ atMs }, at) => {
    const next = ends[at + 1] ?? { ...first, atMs: first.atMs + PERIOD_MS };
    return next.atMs - atMs;
  });
  expect(Math.min(...apart)).toBeGreaterThanOrEqual(2 * MINUTE_MS);
});

test("a template's next round is always due for listing, and no round is due twice", () => {
  for (let nowMs = FROM_MS; nowMs < FROM_MS + PERIOD_MS; nowMs += 7 * SECOND_MS) {
    for (const template of EVENT_TEMPLATES) {
      const starts = dueStarts(template, nowMs);
      expect(new Set(starts).size).toBe(starts.length);
      expect(starts.filter((startMs) => startMs > nowMs)).toEqual([
        lastStartMs(template, nowMs) + template.everyMs,
      ]);
    }
  }
});
