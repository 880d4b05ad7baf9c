import { cp, readdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DUMP_VERSION, RULES_VERSION } from '@oddlot/engine';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EarlierReleaseError } from '../../packages/replica/src/log/log.ts';
import { sampledCases } from '../support/sampled-cases.ts';
import { freshSeed } from '../support/fresh-seed.ts';
import { seededRandom } from '../support/seeded.ts';
import { removeTemporaryData } from '../support/venue-process.ts';
import {
  CONTINUED,
  copyOf,
  eraFiles,
  PREVIOUS,
  snapshot,
  statesOf,
  type EarlierFolder,
  type Seen,
} from './era-folders.ts';

/**
 * Goal: a rules change never changes earlier results, and a crash during the switch leaves a folder
 * that opens with the same result (R-era). Method: a folder that an earlier release left after a
 * power cut is opened once. Copies of the folder, in every state that a crash or a bad disk could
 * leave behind, must then give the same state, heads and market data.
 */

const SEED = freshSeed('CRASH_SEED');
const random = seededRandom(SEED);
/** Some of the projections included in snapshots. */
const PROJECTIONS = ['outcomes', 'candles', 'probabilities', 'referencePrices'];

afterAll(removeTemporaryData);

describe.each<[string, EarlierFolder]>([
  ['release 0.3.0', PREVIOUS],
  ['release 0.1.0 and then 0.3.0', CONTINUED],
])(`R-era: after %s, CRASH_SEED=${SEED}`, (_name, earlier) => {
  const { meta } = earlier;
  /** The earlier release's folder, unchanged. */
  let old: string;
  /** The folder after this release had switched to its rules version and was killed. */
  let opened: string;
  let first: Seen;

  beforeAll(async () => {
    old = await earlier.unpacked();
    opened = await copyOf(old);
    first = await earlier.opening(opened);
  });

  describe('a release can change the rules', () => {
    test('a rules version starts after the last block, with its rules, start state and history', async () => {
      const [entry, ...more] = await earlier.entriesFrom(opened, meta.height + 1);
      expect(more).toEqual([]);
      const command = { type: 'openEra', rules: RULES_VERSION, previousHash: meta.hash };
      expect(entry).toMatchObject({ seq: meta.height + 1, commands: [{ command }] });
      expect(first.height).toBe(meta.height + 1);
      const name = `era-${String(meta.height).padStart(16, '0')}-rules-${RULES_VERSION}.json`;
      expect(await eraFiles(opened)).toEqual([...(await eraFiles(old)), name]);
    });

    test('the next start continues under the new rules version and does not switch again', async () => {
      const again = await copyOf(opened);
      expect(await earlier.opening(again)).toEqual(first);
      expect(await earlier.entriesFrom(again, meta.height + 1)).toHaveLength(1);
    });
  });

  describe('a crash may interrupt the switch of rules', () => {
    test('an incomplete start state has no effect', async () => {
      const folder = await copyOf(old);
      await cp(join(opened, 'eras'), join(folder, 'eras'), { recursive: true });
      const names = await eraFiles(folder);
      const file = join(folder, 'eras', names.at(-1) ?? '');
      await rename(file, `${file}.new`);
      await truncate(`${file}.new`, 1_000);
      expect(await earlier.opening(folder)).toEqual(first);
      expect(await eraFiles(folder)).toEqual(names);
    });

    test('a start state not named in the log has no effect', async () => {
      const folder = await copyOf(old);
      await cp(join(opened, 'eras'), join(folder, 'eras'), { recursive: true });
      expect(await earlier.opening(folder)).toEqual(first);
      expect(await earlier.entriesFrom(folder, meta.height + 1)).toHaveLength(1);
    });

    test('the earlier release can continue from the folder after the crash', async () => {
      const folder = await copyOf(old);
      await earlier.append(folder, []);
      const went = await earlier.opening(await copyOf(folder));
      // This start state was never used, because the log had already continued at its block.
      await cp(join(opened, 'eras'), join(folder, 'eras'), { recursive: true });
      expect(await earlier.opening(folder)).toEqual(went);
      expect(went.height).toBe(first.height + 1);
    });
  });

  describe('lost data is recomputed from the log', () => {
    /**
     * A log that began under rules version 1 can be replayed only from the first state of version
     * 3, because its earlier blocks cannot be applied.
     */
    const isReplayable = earlier === PREVIOUS;
    const losses: readonly (readonly [string, (folder: string) => Promise<void>])[] = [
      ['the snapshots', (folder) => rm(join(folder, 'snapshots'), { recursive: true })],
      ['the starts of eras', (folder) => rm(join(folder, 'eras'), { recursive: true })],
      ['a byte of each start', flipStarts],
      [
        'both the snapshots and the starts',
        async (folder) => {
          await rm(join(folder, 'snapshots'), { recursive: true });
          await rm(join(folder, 'eras'), { recursive: true });
        },
      ],
    ];
    const harmless = isReplayable ? losses : losses.slice(0, 1);
    test.each(sampledCases(harmless, 2, random))(
      'the venue recovers from the loss of %s',
      async (_, lose) => {
        const folder = await copyOf(opened);
        await lose(folder);
        expect(await earlier.opening(folder)).toEqual(first);
        // The start states are permanent files, so they are written again.
        expect(await eraFiles(folder)).toEqual(await eraFiles(opened));
        expect(await statesOf(folder)).toEqual(await statesOf(opened));
      },
    );

    test('the venue recovers from the loss of all data except the log by running the earlier engine', async () => {
      const folder = await copyOf(old);
      await rm(join(folder, 'snapshots'), { recursive: true });
      await rm(join(folder, 'eras'), { recursive: true, force: true });
      if (!isReplayable) {
        await expect(earlier.opening(folder)).rejects.toThrow(EarlierReleaseError);
        return;
      }
      expect(await earlier.opening(folder)).toEqual(first);
      expect(await statesOf(folder)).toEqual(await statesOf(opened));
    });
  });

  describe('a snapshot with invalid content is rejected even if its hash is valid', () => {
    const shapes: readonly [string, unknown][] = [
      ['no object', 'text'],
      ['nothing', {}],
      [
        'a dump of another version',
        { rules: RULES_VERSION, head: {}, state: { format: 99, orders: [] } },
      ],
      [
        'an empty dump',
        { rules: RULES_VERSION, head: {}, heads: [], state: { format: DUMP_VERSION, orders: [] } },
      ],
      ['a dump of rules 2', { rules: 2, head: {}, heads: [], state: { format: 3, orders: [] } }],
      [
        'a dump of rules 3 without its parts',
        { rules: 3, head: {}, heads: [], state: { format: 5, orders: [] } },
      ],
    ];

    test.each(sampledCases(shapes, 2, random))(
      'a snapshot containing %s is skipped',
      async (_, payload) => {
        const folder = await copyOf(opened);
        await snapshot(folder, first.height, payload);
        expect(await earlier.opening(folder)).toEqual(first);
      },
    );

    test.each(sampledCases(PROJECTIONS, 1, random))(
      'a snapshot with invalid %s is skipped',
      async (name) => {
        const folder = await copyOf(opened);
        const hand = await earlier.inHand(folder);
        const payload = hand.replica.payload();
        const companions = { ...payload.companions, [name]: { another: 'shape' } };
        await snapshot(folder, first.height, { ...payload, companions });
        await hand.close();
        expect(await earlier.opening(folder)).toEqual(first);
      },
    );
  });
});

test('R-era: a new log begins with a rules version', async () => {
  const hand = await PREVIOUS.inHand();
  await hand.close();
  const [entry] = await PREVIOUS.entriesFrom(hand.folder, 1);
  expect(entry?.commands.map(({ command }) => command.type).slice(0, 2)).toEqual([
    'openEra',
    'genesis',
  ]);
  expect(await eraFiles(hand.folder)).toEqual([]);
});

async function flipStarts(folder: string): Promise<void> {
  for (const name of await readdir(join(folder, 'eras'))) {
    const file = join(folder, 'eras', name);
    const bytes = await readFile(file);
    bytes[5_000] = bytes[5_000]! ^ 1;
    await writeFile(file, bytes);
  }
}
