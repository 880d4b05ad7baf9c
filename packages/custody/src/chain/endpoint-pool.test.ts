import { expect, test } from 'vitest';
import { type ChainEndpoint, EndpointPool } from './endpoints.ts';

class HandEndpoint implements ChainEndpoint {
  readonly name: string;
  answer: () => Promise<unknown>;
  asked = 0;

  constructor(name: string, answer: () => Promise<unknown>) {
    this.name = name;
    this.answer = answer;
  }

  request(): Promise<unknown> {
    this.asked += 1;
    return this.answer();
  }
}

const says = (value: unknown) => async () => value;
const hangs = () => new Promise<never>(() => undefined);
const fails = () => Promise.reject(new Error('refused'));

function poolOf(...answers: (() => Promise<unknown>)[]) {
  const endpoints = answers.map((answer, at) => new HandEndpoint(`e${at}`, answer));
  const pool = new EndpointPool(endpoints);
  const ask = async () => {
    const answers = await pool.ask((request) => request('eth_blockNumber', []) as Promise<number>);
    return answers.map(({ watched, value }) => `${watched.endpoint.name} ${value}`);
  };
  return { pool, endpoints, ask, states: () => pool.statuses.map(({ state }) => state) };
}

test('a hanging endpoint delays a single query, and is then queried in parallel, one query at a time', async () => {
  const { ask, endpoints, states } = poolOf(says(7), hangs, says(7));
  expect(await ask()).toEqual(['e0 7', 'e2 7']);
  expect(states()).toEqual(['ok', 'down', 'ok']);
  // If each query waited for the hanging endpoint, this loop would exceed the test's timeout.
  for (let round = 0; round < 100; round += 1) await ask();
  expect(endpoints.map(({ asked }) => asked)).toEqual([101, 1, 101]);
});

test('responses from a recovered endpoint count again', async () => {
  const { ask, endpoints, states } = poolOf(says(7), says(7), fails);
  expect(await ask()).toEqual(['e0 7', 'e1 7']);
  expect(states()).toEqual(['ok', 'ok', 'down']);
  endpoints[2]!.answer = says(7);
  await ask();
  await expect.poll(states).toEqual(['ok', 'ok', 'ok']);
  expect(await ask()).toEqual(['e0 7', 'e1 7', 'e2 7']);
});

test('a query waits for unhealthy endpoints if too few are healthy', async () => {
  const { ask, endpoints, states } = poolOf(says(7), fails);
  await expect(ask()).rejects.toThrow('1 of the required 2 endpoints answered: refused');
  const { promise, resolve } = Promise.withResolvers<number>();
  endpoints[1]!.answer = () => promise;
  const asking = ask();
  setTimeout(() => resolve(7), 20);
  expect(await asking).toEqual(['e0 7', 'e1 7']);
  expect(states()).toEqual(['ok', 'ok']);
});

test.each([
  { heads: [100, 100, 1_100], states: ['ok', 'ok', 'ahead'], head: 100 },
  { heads: [100, 99, 96], states: ['ok', 'ok', 'stale'], head: 99 },
  { heads: [100, 90], states: ['ok', 'stale'], head: 90 },
  { heads: [100], states: ['ok'], head: 100 },
])(
  'with heads $heads the pool uses the newest block that enough endpoints know, and marks endpoints far from it',
  async (row) => {
    const { pool, states } = poolOf(...row.heads.map(says));
    const answers = await pool.ask((request) => request('eth_blockNumber', []) as Promise<number>);
    expect(pool.judgeHeads(answers)).toBe(row.head);
    expect(states()).toEqual(row.states);
  },
);

test('two endpoints that contradict each other are both reported, and no response counts until they agree', async () => {
  const { endpoints, hash, states } = hashesOf('0xa', '0xb');
  await expect(hash()).rejects.toThrow('endpoints disagree about a block: e0 and e1');
  expect(states()).toEqual(['disagrees', 'disagrees']);
  endpoints[1]!.answer = says('0xa');
  expect(await hash()).toBe('0xa');
});

test('an endpoint that contradicts two others does not count, and is reported until it has agreed twenty times', async () => {
  const { endpoints, hash, states } = hashesOf('0xa', '0xb', '0xa');
  expect(await hash()).toBe('0xa');
  expect(states()).toEqual(['ok', 'disagrees', 'ok']);
  endpoints[1]!.answer = says('0xa');
  expect(await hash()).toBe('0xa');
  expect(states()).toEqual(['ok', 'disagrees', 'ok']);
  for (let round = 0; round < 20; round++) await hash();
  expect(states()).toEqual(['ok', 'ok', 'ok']);
});

test.each([
  [['0xa', '0xb', '0xc'], undefined],
  [['0xa', '0xa', '0xb', '0xb'], undefined],
  [['0xb', '0xa', '0xa', '0xa'], '0xa'],
  [['0xa', '0xa', '0xb', '0xc'], undefined],
  [['0xa'], '0xa'],
])('of the answers %j the one given by more than half counts: %s', async (reported, counts) => {
  const { hash } = hashesOf(...reported);
  if (counts === undefined)
    await expect(hash()).rejects.toThrow('endpoints disagree about a block');
  else expect(await hash()).toBe(counts);
});

test.each([
  { reported: [5, 5, 1_000_000], reached: 5, median: 5n },
  { reported: [0, 5, 5], reached: 5, median: 5n },
  { reported: [4, 6, 5], reached: 5, median: 5n },
  { reported: [4, 6], reached: 4, median: 4n },
  { reported: [7], reached: 7, median: 7n },
])('of the numbers $reported neither the highest nor the lowest counts', async (row) => {
  const { pool } = poolOf(...row.reported.map(says));
  const answers = await pool.ask((request) => request('eth_getBalance', []) as Promise<number>);
  expect(pool.reachedBy(answers)).toBe(row.reached);
  expect(pool.median(answers.map((each) => ({ ...each, value: BigInt(each.value) })))).toBe(
    row.median,
  );
});

function hashesOf(...answers: string[]) {
  const { endpoints, pool, states } = poolOf(...answers.map(says));
  const hash = async () => {
    return pool.agree('a block', await pool.ask((request) => request('eth_getBlockByNumber', [])));
  };
  return { endpoints, states, hash };
}
