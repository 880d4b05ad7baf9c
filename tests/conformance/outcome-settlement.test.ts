import { beforeEach, describe, expect, test } from 'vitest';
import { keccak256, stringToHex } from 'viem';
import { aSharedVenue, type Actor } from '../support/actors.ts';
import type { Json } from '../support/client.ts';
import { Deployer, marketFields, shareTrader, type OutcomeMarket } from '../support/deployer.ts';
import {
  bet,
  bookOf,
  marketMeta,
  openBets,
  operate,
  outcomeLedger,
  outcomeState,
  OUTCOMES,
  placed,
  fundsOf,
} from '../support/outcomes.ts';
import { act, succeeded, expectRefusal, refusalOf } from '../support/perps.ts';

const world = aSharedVenue(OUTCOMES);
const deployer = new Deployer(world);

const metaOf = async (fields: object): Promise<Json> =>
  world.client.data({ type: 'outcomeMeta', ...fields });
const phaseOf = async (market: OutcomeMarket) => (await marketMeta(world, market)).phase;
const resolutionOf = async ({ id }: OutcomeMarket): Promise<Json> =>
  world.client.data({ type: 'outcomeResolution', instrumentId: id });

describe("R-phases: a market's phase determines which actions it accepts", () => {
  test('a halted market keeps its orders and accepts only cancels and merges', async () => {
    const bob = await shareTrader(world, 'bob');
    const market = await deployer.list();
    succeeded(await operate(bob, 'split', [market, '20']));
    const { oid } = await placed(bob, market, 'buy Yes 10 at 0.4');
    const other = await placed(bob, market, 'buy Yes 10 at 0.3');
    await deployer.set(market, 'halt');
    const message = `Trading is halted for OUTCOME-${market.id}`;
    expectRefusal(await bob.place(bet(market, 'buy Yes 10 at 0.4')), 10000, message);
    expectRefusal(await bob.place(bet(market, 'sell Yes 10 at 0.4')), 10000, message);
    const amend = { type: 'modify2', a: market.id, o: oid, p: '0.3', s: '10' };
    expectRefusal(await act(bob, amend), 10000, message);
    expectRefusal(await operate(bob, 'split', [market, '1']), 10000, message);
    succeeded(await operate(bob, 'merge', [market, '5']));
    succeeded(await bob.cancel({ a: market.id, o: other.oid }));
    expect(await bookOf(world, market)).toBe('10 at 0.4 | ');
    expect(await metaOf({ eventSlug: market.eventSlug })).toMatchObject({
      status: 'open',
      trading: { enabled: true, accepting_orders: false, halted: true },
    });
    await deployer.set(market, 'open');
    await placed(bob, market, 'sell Yes 10 at 0.6');
  });

  const path: Record<string, readonly ('open' | 'halt' | 'close')[]> = {
    open: [],
    halted: ['halt'],
    closed: ['close'],
  };
  test.each<[string, string, string | undefined]>([
    ['upcoming', 'open', 'open'],
    ['upcoming', 'halt', undefined],
    ['upcoming', 'close', 'closed'],
    ['open', 'open', undefined],
    ['open', 'halt', 'halted'],
    ['open', 'close', 'closed'],
    ['halted', 'open', 'open'],
    ['halted', 'halt', undefined],
    ['halted', 'close', 'closed'],
    ['closed', 'open', undefined],
    ['closed', 'halt', undefined],
    ['closed', 'close', undefined],
    ['resolved', 'open', undefined],
    ['resolved', 'close', undefined],
  ])('setTrading in phase %s: %s', async (from, state, next) => {
    const isUpcoming = from === 'upcoming';
    const market = await deployer.list(isUpcoming ? { startTime: Date.now() + 3_600_000 } : {});
    for (const step of path[from] ?? []) await deployer.set(market, step);
    if (from === 'resolved') await deployer.resolve(market, '1');
    const bystander = await deployer.list();
    const instrumentIds = [bystander.id, market.id];
    const single = await deployer.send({ setTrading: { instrumentIds: [market.id], state } });
    if (next === undefined) {
      const to = { open: 'open', halt: 'halted', close: 'closed' }[state];
      expectRefusal(single, 10017, `Invalid phase change: ${from} to ${to}`);
      // If one market is in the wrong phase, the whole action is rejected.
      if (state !== 'open') {
        expect(refusalOf(await deployer.send({ setTrading: { instrumentIds, state } })).code).toBe(
          10017,
        );
      }
      expect([await phaseOf(market), await phaseOf(bystander)]).toEqual([from, 'open']);
    } else {
      succeeded(single);
      expect(await phaseOf(market)).toBe(next);
    }
  });
});

describe("resolve sets a market's result", () => {
  const resolve = (market: OutcomeMarket, settlementFraction: string, extra: object = {}) =>
    deployer.send({ resolve: { instrumentId: market.id, settlementFraction, ...extra } });

  test.each([
    ['upcoming', []],
    ['open', []],
    ['halted', ['halt']],
  ] as const)('the resolution of a market that is %s is rejected', async (phase, steps) => {
    const startTime = Date.now() + (phase === 'upcoming' ? 3_600_000 : -60_000);
    const market = await deployer.list({ startTime });
    for (const step of steps) await deployer.set(market, step);
    const message = `Invalid phase change: ${phase} to resolved`;
    expectRefusal(await resolve(market, '1'), 10017, message);
    expect(await resolutionOf(market)).toMatchObject({ resolutionStatus: 'prepared' });
  });

  test('a resolution must be a multiple of the price unit from 0 to 1 and is final', async () => {
    const market = await deployer.list();
    await deployer.set(market, 'close');
    for (const fraction of ['1.0001', '-0.1', '0.12345', 'x', '']) {
      expect(refusalOf(await resolve(market, fraction))).toMatchObject({
        code: 10002,
        details: { field: expect.stringContaining('settlementFraction') },
      });
    }
    succeeded(await resolve(market, '0.1234'));
    expectRefusal(await resolve(market, '0.1234'), 10017, 'Already resolved');
    expectRefusal(await resolve(market, '1'), 10017, 'Already resolved');
    expect((await marketMeta(world, market)).settlement.settlement_fraction).toBe('0.1234');
    const nothing = { ...market, id: 999_999 };
    expectRefusal(await resolve(nothing, '1'), 10404, 'Instrument not found');
  });

  test('a resolved market rejects orders, splits and merges', async () => {
    const bob = await shareTrader(world, 'bob');
    const market = await deployer.list();
    succeeded(await operate(bob, 'split', [market, '10']));
    const { oid } = await placed(bob, market, 'sell Yes 10 at 0.5');
    await deployer.resolve(market, '1');
    const message = 'Outcome market is resolved';
    expectRefusal(await bob.place(bet(market, 'buy Yes 10 at 0.5')), 10015, message);
    expectRefusal(await operate(bob, 'split', [market, '1']), 10015, message);
    expectRefusal(await operate(bob, 'merge', [market, '1']), 10015, message);
    expect(refusalOf(await bob.cancel({ a: market.id, o: oid })).code).toBe(10011);
    expect(await fundsOf(bob, market)).toBe('1000');
  });
});

describe('R-settlement: a resolution pays out every holder', () => {
  let alice: Actor;
  let bob: Actor;
  let market: OutcomeMarket;

  beforeEach(async () => {
    [alice, bob] = [await shareTrader(world, 'alice'), await shareTrader(world, 'bob')];
    market = await deployer.list();
    // Alice pays 0.60 for YES and Bob pays 0.40 for NO, which mints 100 pairs; Bob also splits 20
    // pairs.
    await placed(alice, market, 'buy Yes 100 at 0.60');
    await placed(bob, market, 'buy No 100 at 0.40');
    succeeded(await operate(bob, 'split', [market, '20']));
  });

  test.each([
    ['1', 'Yes', '1040', '960'],
    ['0', 'No', '940', '1060'],
    ['0.5', null, '990', '1010'],
    ['0.5001', 'Yes', '990.01', '1009.99'],
    ['0.2', 'No', '960', '1040'],
  ])('YES pays %s: the winner is %s', async (fraction, winner, hers, his) => {
    await deployer.resolve(market, fraction);
    expect([await fundsOf(alice, market), await fundsOf(bob, market)]).toEqual([hers, his]);
    expect((await outcomeState(bob)).assetPositions).toEqual([]);
    const { settlement, phase, pricing } = await marketMeta(world, market);
    expect(phase).toBe('resolved');
    expect(pricing.yes_price).toBe(fraction);
    expect(settlement).toEqual({
      resolution_status: 'resolved',
      winning_outcome: winner,
      settlement_fraction: fraction,
      oracle_outcome: null,
      resolved_time: expect.any(Number),
    });
    expect(await metaOf({ eventSlug: market.eventSlug })).toMatchObject({
      status: 'resolved',
      open_interest: '0',
      settlement: { resolution_status: 'resolved', resolved_time: settlement.resolved_time },
    });
  });

  test('every holder gets a settlement row for each outcome', async () => {
    await deployer.resolve(market, '0.2');
    const row = (outcome: string, sz: string, amount: string) => ({
      type: 'outcomeSettlement',
      amount,
      instrumentId: market.id,
      outcome,
      sz,
      settlementFraction: '0.2',
    });
    const [hers] = await outcomeLedger(alice);
    expect(hers).toEqual({
      time: expect.any(Number),
      hash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      delta: row('Yes', '100', '20'),
    });
    const deltas = (await outcomeLedger(bob)).slice(0, 2).map(({ delta }) => delta);
    expect(deltas).toEqual(expect.arrayContaining([row('Yes', '20', '4'), row('No', '120', '96')]));
  });

  test('resting orders are cancelled and reserves are released before settlement', async () => {
    await placed(alice, market, 'sell Yes 50 at 0.90');
    await placed(bob, market, 'buy Yes 10 at 0.30');
    await deployer.resolve(market, '1');
    expect([await fundsOf(alice, market), await fundsOf(bob, market)]).toEqual(['1040', '960']);
    expect(await openBets(alice)).toEqual([]);
  });

  test("the resolution record has the operator's texts and a hash that can be recomputed", async () => {
    expect(await resolutionOf(market)).toEqual({
      instrumentId: market.id,
      resolutionStatus: 'prepared',
      settlementFraction: null,
      winningOutcome: null,
      resolvedTime: null,
      block: null,
      by: null,
      txHash: null,
      oracleOutcome: null,
      evidence: null,
      inputs: null,
      receiptHash: null,
    });
    await deployer.set(market, 'close');
    const resolve = {
      instrumentId: market.id,
      settlementFraction: '0.75',
      oracleOutcome: 'Ja – "naß"',
      evidence: 'https://example.org/wetter',
    };
    const reply = await deployer.send({ resolve });
    succeeded(reply);
    const { receiptHash, ...receipt } = await resolutionOf(market);
    expect(receipt).toEqual({
      instrumentId: market.id,
      resolutionStatus: 'resolved',
      settlementFraction: '0.75',
      winningOutcome: 'Yes',
      resolvedTime: expect.any(Number),
      block: reply.json.height,
      by: 'operator',
      txHash: reply.json.txHash,
      oracleOutcome: 'Ja – "naß"',
      evidence: 'https://example.org/wetter',
      inputs: null,
    });
    expect(receiptHash).toBe(keccak256(stringToHex(JSON.stringify(receipt))));
    expect((await marketMeta(world, market)).settlement.oracle_outcome).toBe('Ja – "naß"');
    const unknown = await world.client.info({ type: 'outcomeResolution', instrumentId: 999_999 });
    expect(unknown.json).toMatchObject({ code: 10404, message: 'Instrument not found' });
  });
});

describe('R-event-sets: exactly one market of an exclusive event wins', () => {
  const message = 'Fractions of the event must sum to 1';

  /** Lists an exclusive event whose markets are closed. */
  async function contest(count: number): Promise<[string, OutcomeMarket[]]> {
    const slug = await deployer.event({ mutuallyExclusive: true });
    const markets: OutcomeMarket[] = [];
    for (let at = 0; at < count; at++) markets.push(await deployer.list({}, slug));
    await deployer.set(markets, 'close');
    return [slug, markets];
  }

  const resolve = ({ id: instrumentId }: OutcomeMarket, settlementFraction: string) =>
    deployer.send({ resolve: { instrumentId, settlementFraction } });

  test.each<[string, readonly [string, boolean][]]>([
    [
      'a second YES',
      [
        ['1', true],
        ['1', false],
        ['0', true],
        ['0', true],
      ],
    ],
    [
      'none',
      [
        ['0', true],
        ['0', true],
        ['0', false],
        ['1', true],
      ],
    ],
    [
      'parts',
      [
        ['0.5', true],
        ['0.6', false],
        ['0.2', true],
        ['0.2', false],
        ['0.3', true],
      ],
    ],
  ])('resolves an exclusive event: %s', async (_, steps) => {
    const [, markets] = await contest(3);
    let at = 0;
    for (const [fraction, isTaken] of steps) {
      const reply = await resolve(markets[at]!, fraction);
      if (isTaken) {
        succeeded(reply);
        at += 1;
      } else {
        expectRefusal(reply, 10017, message);
      }
    }
    expect(at).toBe(3);
    expect(await Promise.all(markets.map(phaseOf))).toEqual(Array(3).fill('resolved'));
  });

  test('an exclusive event accepts no new markets after its first resolution and is resolved with its last market', async () => {
    const [slug, [first, second]] = (await contest(2)) as [string, [OutcomeMarket, OutcomeMarket]];
    succeeded(await resolve(first, '0'));
    expect(await metaOf({ eventSlug: slug })).toMatchObject({
      status: 'closed',
      mutually_exclusive: true,
      settlement: { resolution_status: 'prepared', resolved_time: null },
    });
    const refusal = refusalOf(await deployer.send({ registerMarket: marketFields(slug) }));
    expect(refusal.code).toBe(10017);
    succeeded(await resolve(second, '1'));
    expect(await metaOf({ eventSlug: slug })).toMatchObject({
      status: 'resolved',
      settlement: { resolution_status: 'resolved', resolved_time: expect.any(Number) },
    });
  });

  test('a market outside an exclusive event may have any result', async () => {
    const slug = await deployer.event();
    const markets = [await deployer.list({}, slug), await deployer.list({}, slug)];
    for (const market of markets) await deployer.resolve(market, '1');
  });
});
