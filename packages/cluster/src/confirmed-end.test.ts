import { test } from 'vitest';
import type { StreamEnd } from './block-stream.ts';
import { confirmedEnd, confirmedLastSeq } from './stream-facts.ts';

const LONG_MS = 60_000;

/**
 * Returns the end and the number of queries before it is confirmed, for servers with these
 * responses, one per second.
 */
async function looksAt(
  answers: readonly Partial<StreamEnd>[],
  {
    place,
    refused,
  }: { readonly place: number; readonly refused?: readonly (number | undefined)[] },
): Promise<number[]> {
  let queries = 0;
  const end = async (): Promise<StreamEnd> => {
    const answer = answers[Math.min(queries, answers.length - 1)];
    queries += 1;
    return { firstPlace: 1, lastPlace: 10, leader: 'n1', silentMs: 100, ...answer };
  };
  let asked = 0;
  const endByRefusal = async (): Promise<number> => {
    const each = refused?.[asked];
    asked += 1;
    if (refused !== undefined && each === undefined) throw new Error('no answer');
    return each ?? 10;
  };
  const confirmed = await confirmedEnd({ end, endByRefusal }, place);
  return [queries, confirmed];
}

test.concurrent.for([
  { title: 'a stream that reaches the place', answers: [{}], place: 10, expected: [1, 10] },
  { title: 'the same answer three times', answers: [{}], place: 11, expected: [3, 10] },
  {
    title: 'a leader that another one replaces',
    answers: [{}, {}, { leader: 'n2' }],
    place: 11,
    expected: [5, 10],
  },
  {
    title: 'a leader that is still applying what it has',
    answers: [{ lastPlace: 3 }, { lastPlace: 6 }, { lastPlace: 9 }, { lastPlace: 11 }],
    place: 11,
    expected: [4, 11],
  },
  {
    title: 'a leader that no majority has answered since the first answer',
    answers: [{}, { silentMs: LONG_MS }, { silentMs: LONG_MS }, {}],
    place: 11,
    expected: [4, 10],
  },
  {
    title: 'servers without a majority, which refuse nothing',
    answers: [{}],
    place: 11,
    refused: [undefined, 10],
    expected: [4, 10],
  },
  {
    title: 'servers that refuse behind another place, and then report it',
    answers: [{}, {}, {}, { lastPlace: 11 }],
    place: 11,
    refused: [11],
    expected: [4, 11],
  },
])(
  'the end of a stream is confirmed by the required number of queries: $title',
  async (each, { expect }) => {
    expect(await looksAt(each.answers, each)).toEqual(each.expected);
  },
);

test.concurrent('a stream being written from a folder counts as unfinished only once that is confirmed', async ({
  expect,
}) => {
  const opening = { serviceNetwork: 'Test', firstSeq: 5, lastSeq: 9, era: 'an era' };
  let lastPlace = 3;
  const end = async (): Promise<StreamEnd> => {
    const end = { firstPlace: 1, lastPlace, leader: 'n1', silentMs: 0 };
    lastPlace = 6;
    return end;
  };
  const stream = { end, endByRefusal: async () => lastPlace };
  expect(await confirmedLastSeq(stream, opening)).toBe(9);
});
