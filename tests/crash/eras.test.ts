import { cp, readdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DUMP_VERSION, RULES_VERSION } from '@oddlot/engine';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EarlierReleaseError } from '../../packages/replica/src/log/log.ts';
import { drawnCases } from '../support/drawn-cases.ts';
import { freshSeed } from '../support/fresh-seed.ts';
import { chance } from '../support/seeded.ts';
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
 * Goal: a change of rules never rewrites what happened, and no crash while an era opens leaves a folder
 * that opens otherwise (R-era). Method: the folder of an earlier release, as a power cut left it, is opened
 * once; then copies of it, put into each state that a crash or a bad disk could leave, must give
 * the same venue: state, heads, and what is kept of markets.
 */

const SEED = freshSeed('CRASH_SEED');
const random = chance(SEED);
/** Some of the projections whose dumps snapshots hold beside the state. */
const PROJECTIONS = ['outcomes', 'candles', 'probabilities', 'referencePrices'];

afterAll(removeTemporaryData);

describe.each<[string, EarlierFolder]>([
  ['release 0.3.0', PREVIOUS],
  ['release 0.1.0 and then 0.3.0', CONTINUED],
])(`R-era: after %s, CRASH_SEED=${SEED}`, (_name, earlier) => {
  const { meta } = earlier;
  /** The folder of the earlier release, untouched. */
  let old: string;
  /** The same after this release has opened its era and was killed. */
  let opened: string;
  let first: Seen;

  beforeAll(async () => {
    old = await earlier.unpacked();
    opened = await copyOf(old);
    first = await earlier.opening(opened);
  });

  describe('a change of rules', () => {
    test('opens an era behind the last block, with its rules, its start and its past', async () => {
      const [entry, ...more] = await earlier.entriesFrom(opened, meta.height + 1);
      expect(more).toEqual([]);
      const command = { type: 'openEra', rules: RULES_VERSION, previousHash: meta.hash };
      expect(entry).toMatchObject({ seq: meta.height + 1, commands: [{ command }] });
      expect(first.height).toBe(meta.height + 1);
      const name = `era-${String(meta.height).padStart(16, '0')}-rules-${RULES_VERSION}.json`;
      expect(await eraFiles(opened)).toEqual([...(await eraFiles(old)), name]);
    });

    test('is made once: the next start goes on in the era', async () => {
      const again = await copyOf(opened);
      expect(await earlier.opening(again)).toEqual(first);
      expect(await earlier.entriesFrom(again, meta.height + 1)).toHaveLength(1);
    });
  });

  describe('a crash while an era opens is harmless', () => {
    test('before the start of the era was whole', async () => {
      const folder = await copyOf(old);
      await cp(join(opened, 'eras'), join(folder, 'eras'), { recursive: true });
      const names = await eraFiles(folder);
      const file = join(folder, 'eras', names.at(-1) ?? '');
      await rename(file, `${file}.new`);
      await truncate(`${file}.new`, 1_000);
      expect(await earlier.opening(folder)).toEqual(first);
      expect(await eraFiles(folder)).toEqual(names);
    });

    test('when the start is kept and the log does not name it', async () => {
      const folder = await copyOf(old);
      await cp(join(opened, 'eras'), join(folder, 'eras'), { recursive: true });
      expect(await earlier.opening(folder)).toEqual(first);
      expect(await earlier.entriesFrom(folder, meta.height + 1)).toHaveLength(1);
    });

    test('and so is the earlier release going on after it', async () => {
      const folder = await copyOf(old);
      await earlier.append(folder, []);
      const went = await earlier.opening(await copyOf(folder));
      // The start of an era that never opened, at a block that has others behind it.
      await cp(join(opened, 'eras'), join(folder, 'eras'), { recursive: true });
      expect(await earlier.opening(folder)).toEqual(went);
      expect(went.height).toBe(first.height + 1);
    });
  });

  describe('what is derived can be lost', () => {
    /** A log that began under rules 1 starts from the first state of rules 3; its earlier blocks cannot be applied. */
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
    test.each(drawnCases(harmless, 2, random))('%s', async (_, lose) => {
      const folder = await copyOf(opened);
      await lose(folder);
      expect(await earlier.opening(folder)).toEqual(first);
      // What is kept for ever is there again.
      expect(await eraFiles(folder)).toEqual(await eraFiles(opened));
      expect(await statesOf(folder)).toEqual(await statesOf(opened));
    });

    test('all before the era opened: the earlier engine starts with the first block', async () => {
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

  describe('a snapshot of another shape with a right hash is passed over', () => {
    /** By name what is in them. */
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

    test.each(drawnCases(shapes, 2, random))('%s', async (_, payload) => {
      const folder = await copyOf(opened);
      await snapshot(folder, first.height, payload);
      expect(await earlier.opening(folder)).toEqual(first);
    });

    test.each(drawnCases(PROJECTIONS, 1, random))(
      'one whose %s are of another shape',
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

test('R-era: a new log begins with an era too', async () => {
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
