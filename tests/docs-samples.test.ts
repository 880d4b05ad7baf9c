import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ACTIONS, API_WS_CHANNELS, INFO_QUERIES, WS_CHANNELS } from '@oddlot/protocol';
import { beforeAll, describe, expect, test } from 'vitest';
import { samplesOf, shapeOf, shortened, type Part, type Samples } from '../scripts/samples.ts';
import { recordSamples } from '../scripts/record-samples.ts';

/**
 * Goal: the reference has a sample of every action, query and channel, with the shape of a live
 * response. Values may differ, because they depend on times and hashes. `npm run write-samples`
 * rewrites the samples.
 */

const REFERENCE = join(import.meta.dirname, '../docs/reference');

const documentedOn = (pages: RegExp): ReadonlyMap<string, readonly Part[]> =>
  new Map(
    readdirSync(REFERENCE)
      .filter((name) => pages.test(name))
      .flatMap((name) => [...samplesOf(readFileSync(join(REFERENCE, name), 'utf8'))]),
  );

const KINDS = [
  { kind: 'actions', pages: /^exchange\.md$/, names: Object.keys(ACTIONS) },
  { kind: 'queries', pages: /^info-.*\.md$/, names: Object.keys(INFO_QUERIES) },
  {
    kind: 'channels',
    pages: /^streams\.md$/,
    names: [...Object.keys(WS_CHANNELS), ...Object.keys(API_WS_CHANNELS)],
  },
  { kind: 'services', pages: /^info\.md$/, names: ['/account-status', '/request-fund'] },
] as const;

const shapesOf = (parts: readonly Part[]) =>
  parts.map(({ label, value }) => ({ label, shape: shapeOf(shortened(value)) }));

let live: Samples;
beforeAll(async () => {
  live = await recordSamples();
}, 120_000);

describe.each(KINDS)('samples of $kind', ({ kind, names, pages }) => {
  const documented = documentedOn(pages);

  test('the reference has a sample for each entry and no others', () => {
    expect([...documented.keys()].toSorted()).toEqual([...names].toSorted());
  });

  test.each([...documented])('the sample of %s has the shape of a live answer', (name, parts) => {
    expect(parts.length).toBeGreaterThan(1);
    const answered = shapesOf(live[kind].get(name) ?? []);
    expect(shapesOf(parts), 'write them again: npm run write-samples').toEqual(answered);
  });
});
