import { expect, test } from 'vitest';
import { encodeOpening } from '../block-message.ts';
import type { StreamEnd } from '../block-stream.ts';
import { streamLine } from './cluster-report.ts';

const OPENING = encodeOpening(1, { serviceNetwork: 'Test', firstSeq: 1, era: 'an era' });

/**
 * Returns a stream whose leader reports these last positions one after another, and a replica that
 * has reported block 5.
 */
function placeOf(...places: readonly number[]) {
  let looks = 0;
  const now = (): number => places[Math.min(looks, places.length - 1)] ?? 0;
  const end = async (): Promise<StreamEnd> => {
    const lastPlace = now();
    looks += 1;
    return { firstPlace: 1, lastPlace, leader: 'n1', silentMs: 0 };
  };
  const stream = {
    at: async () => (now() === 0 ? undefined : OPENING),
    end,
    endByRefusal: async () => places.at(-1) ?? 0,
  };
  const known = { replica: 'a', height: 5 };
  return { cluster: 'test', stream, board: { highest: known, highestIn: () => known } };
}

test.concurrent.for([
  { title: 'a leader that has not applied everything yet', places: [3, 6], ending: 'Test' },
  {
    title: 'a stream that is short',
    places: [3],
    ending: 'blocks lost: replica a reported block 5',
  },
])(
  'the cluster report mentions lost blocks once the loss is confirmed: $title',
  async (each, { expect }) => {
    const { ending, places } = each;
    expect(await streamLine(placeOf(...places))).toMatch(new RegExp(`${ending}$`));
  },
);

test('the cluster report describes a stream as empty only once a second query has confirmed it', async () => {
  expect(await streamLine(placeOf(0, 6))).toBe('stream of test: blocks 1 to 5 of Test');
});
