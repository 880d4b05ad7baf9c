import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { aSharedVenue, type Actor } from '../support/actors.ts';
import type { Json } from '../support/client.ts';
import { Deployer, shareTrader, type OutcomeMarket } from '../support/deployer.ts';
import {
  bet,
  bookOf,
  FEE,
  openBets,
  operate,
  outcomeLedger,
  outcomeState,
  OUTCOMES,
  placed,
  fundsOf,
  takerFee,
} from '../support/outcomes.ts';
import { act, succeeded, refusalOf } from '../support/perps.ts';
import { onChannel } from '../support/frames.ts';

/** The expected values were computed by hand. */

const world = aSharedVenue(OUTCOMES);
const deployer = new Deployer(world);

let alice: Actor;
let bob: Actor;
let market: OutcomeMarket;

beforeAll(async () => {
  // The numbers below assume that fees follow the example of R-outcome-fee.
  expect([takerFee('100', '0.3'), takerFee('10', '0.6')]).toEqual(['1.47', '0.168']);
});

beforeEach(async () => {
  [alice, bob] = [await shareTrader(world, 'alice'), await shareTrader(world, 'bob')];
  market = await deployer.list(FEE);
});

async function withPairs(sz: string, ...actors: Actor[]): Promise<void> {
  for (const actor of actors) succeeded(await operate(actor, 'split', [market, sz]));
}

const contextOf = async (): Promise<Json> => {
  const [context] = await world.client.data({
    type: 'outcomeAssetCtxs',
    instrumentIds: [market.id],
  });
  return context;
};

describe('R-one-book: each combination of b and r selects an outcome and a direction', () => {
  test.each([
    ['buy Yes 10 at 0.30', true, false, '10 at 0.3 | ', 'B', 'Yes', '896.853 + 3.147 reserved'],
    ['sell Yes 10 at 0.70', false, true, ' | 10 at 0.7', 'A', 'Yes', '900'],
    ['buy No 10 at 0.30', false, false, ' | 10 at 0.7', 'A', 'No', '896.853 + 3.147 reserved'],
    ['sell No 10 at 0.70', true, true, '10 at 0.3 | ', 'B', 'No', '900'],
  ])(
    'a combination of b and r maps to the YES book: %s',
    async (words, b, r, book, side, outcome, money) => {
      await withPairs('100', bob);
      const order = bet(market, words);
      expect([order['b'], order['r']]).toEqual([b, r]);
      const { oid } = succeeded(await bob.place(order)).orders[0];
      expect(await bookOf(world, market)).toBe(book);
      const limitPx = words.endsWith('0.30') ? '0.3' : '0.7';
      expect(await openBets(bob, market)).toMatchObject([
        { oid, coin: `OUTCOME-${market.id}`, side, reduceOnly: r, outcome, limitPx, sz: '10' },
      ]);
      expect(await fundsOf(bob, market)).toBe(`${money}, 100 Yes, 100 No`);
    },
  );
});

describe("R-mint-burn: every pair of sides matches at the resting order's price", () => {
  test.each([
    ['buy Yes', 'sell Yes', '894, 110 Yes, 100 No', '905.832, 90 Yes, 100 No', '200'],
    ['sell Yes', 'buy Yes', '906, 90 Yes, 100 No', '893.832, 110 Yes, 100 No', '200'],
    ['buy No', 'sell No', '894, 100 Yes, 110 No', '905.832, 100 Yes, 90 No', '200'],
    ['sell No', 'buy No', '906, 100 Yes, 90 No', '893.832, 100 Yes, 110 No', '200'],
    ['buy Yes', 'buy No', '894, 110 Yes, 100 No', '895.832, 100 Yes, 110 No', '210'],
    ['buy No', 'buy Yes', '894, 100 Yes, 110 No', '895.832, 110 Yes, 100 No', '210'],
    ['sell Yes', 'sell No', '906, 90 Yes, 100 No', '903.832, 100 Yes, 90 No', '190'],
    ['sell No', 'sell Yes', '906, 100 Yes, 90 No', '903.832, 90 Yes, 100 No', '190'],
  ])('%s at 0.60 matches an incoming %s', async (maker, taker, hers, his, pairs) => {
    await withPairs('100', alice, bob);
    const socket = await world.socket();
    await socket.subscribe({ type: 'outcomeTrades', instrumentIds: [market.id] });
    await placed(alice, market, `${maker} 10 at 0.60`);
    // The taker's limit is two cents better than it needs to be. The taker gets the price
    // improvement.
    const isSameLeg = maker.split(' ')[1] === taker.split(' ')[1];
    const [buy, sell] = isSameLeg ? ['0.62', '0.58'] : ['0.42', '0.38'];
    const price = taker.startsWith('buy') ? buy : sell;
    const result = await placed(bob, market, `${taker} 10 at ${price}`);
    const avgPx = isSameLeg ? '0.6' : '0.4';
    expect(result).toMatchObject({ state: 'filled', filledSz: '10', avgPx });
    expect([await fundsOf(alice, market), await fundsOf(bob, market)]).toEqual([hers, his]);
    expect((await contextOf()).openInterest).toBe(pairs);
    const leg = taker.split(' ')[1];
    const yes = (leg === 'Yes') === (avgPx === '0.6') ? '0.6' : '0.4';
    const { trades } = (await socket.next(onChannel('outcomeTrades'))).data;
    expect(trades).toMatchObject([{ px: yes, sz: '10', outcome: leg, price: avgPx }]);
  });

  test('a pair costs exactly 1.00 per share in total', async () => {
    await placed(alice, market, 'buy Yes 100 at 0.37');
    await placed(bob, market, 'buy No 100 at 0.80');
    // Alice pays 37. Bob pays 63 and a fee of 0.07 × 100 × 0.63 × 0.37. The pairs lock up 100.
    expect([await fundsOf(alice, market), await fundsOf(bob, market)]).toEqual([
      '963, 100 Yes',
      '935.3683, 100 No',
    ]);
    succeeded(await deployer.send({ setTrading: { instrumentIds: [market.id], state: 'close' } }));
    const resolve = { instrumentId: market.id, settlementFraction: '0.37' };
    succeeded(await deployer.send({ resolve }));
    expect([await fundsOf(alice, market), await fundsOf(bob, market)]).toEqual([
      '1000',
      '998.3683',
    ]);
  });

  test('orders at the same price level fill in time priority, whichever outcome they are for', async () => {
    const carol = await shareTrader(world, 'carol');
    await withPairs('100', alice);
    await placed(alice, market, 'sell Yes 10 at 0.60');
    await placed(carol, market, 'buy No 10 at 0.40');
    await placed(alice, market, 'sell Yes 10 at 0.60');
    await placed(bob, market, 'buy Yes 15 at 0.60');
    expect((await openBets(carol, market)).map((row) => row.sz)).toEqual(['5']);
    expect((await openBets(alice, market)).map((row) => row.sz)).toEqual(['10']);
    expect(await fundsOf(carol, market)).toBe('995.916 + 2.084 reserved, 5 No');
  });

  test('R-outcome-fee: many partial fills cost the same as a single fill', async () => {
    // Seven fills of 5.01 at 0.33: 0.07 × 35.07 × 0.33 × 0.67 = 0.54277…, rounded up once.
    await withPairs('100', alice);
    for (let at = 0; at < 7; at++) await placed(alice, market, 'sell Yes 5.01 at 0.33');
    await placed(bob, market, 'buy Yes 35.07 at 0.33');
    expect(takerFee('35.07', '0.33')).toBe('0.542779');
    expect(await fundsOf(bob, market)).toBe('987.884121, 35.07 Yes');
    expect(await fundsOf(alice, market)).toBe('911.5731, 64.93 Yes, 100 No');
  });

  test('R-stp: an order cancels a resting order from the same account, without a fee', async () => {
    await withPairs('100', bob);
    const { oid } = await placed(bob, market, 'buy Yes 10 at 0.60');
    const socket = await world.socket();
    await socket.subscribe({ type: 'outcomeOrderUpdates', user: bob.address });
    const next = await placed(bob, market, 'buy No 10 at 0.45');
    expect(next).toMatchObject({ state: 'open', filledSz: '0' });
    const cancelled = await socket.next((frame) => frame.data?.[0]?.order?.oid === oid);
    expect(cancelled.data[0]).toMatchObject({ status: 'cancelled', reason: 'selfTrade' });
    expect(await bookOf(world, market)).toBe(' | 10 at 0.55');
    expect(await fundsOf(bob, market)).toBe('895.32675 + 4.67325 reserved, 100 Yes, 100 No');
  });
});

describe("queries show positions and the account's state", () => {
  test('each outcome has a record, and money, reserves and values add up', async () => {
    await placed(alice, market, 'buy Yes 20 at 0.60');
    await placed(bob, market, 'buy No 20 at 0.40');
    await withPairs('10', alice);
    await placed(alice, market, 'buy Yes 10 at 0.50');
    await placed(bob, market, 'buy No 10 at 0.46');
    // The book is 0.50 to 0.54, so the mark is the mid.
    const state = await outcomeState(alice);
    const [yes, no] = state.assetPositions.map((entry: Json) => entry.position);
    expect(yes).toMatchObject({
      asset: market.coin,
      coin: `OUTCOME-${market.id}`,
      szi: '30',
      // The entry price is the average of 20 shares at 0.60 and 10 shares at 0.50.
      entryPx: '0.566667',
      marginUsed: '17',
      markPx: '0.52',
      positionValue: '15.6',
      unrealizedPnl: '-1.4',
      leverage: { rawUsd: '', type: 'Cross', value: 1 },
      liquidationPx: '',
      adlQuantile: 0,
      slug: market.slug,
      title: 'Will it?',
      outcomeNames: ['Yes', 'No'],
      priceDecimals: 2,
      sizeDecimals: 2,
      resolutionStatus: 'prepared',
    });
    expect(no).toMatchObject({ szi: '-10', entryPx: '0.5', markPx: '0.48', positionValue: '4.8' });
    // The balance is 1000 − 12 − 10. The open order reserves 5 and a fee of 0.07 × 10 × 0.25.
    expect(state).toMatchObject({
      withdrawable: '972.825',
      crossMaintenanceMarginUsed: '0',
      crossMarginRatio: '',
      marginSummary: {
        accountValue: '998.4',
        totalNtlPos: '20.4',
        totalMarginUsed: '27.175',
        totalRawUsd: '978',
      },
    });
    const positions = (fields: object) =>
      world.client.data({ type: 'outcomePositions', user: alice.address, ...fields });
    expect(await positions({})).toEqual(state.assetPositions);
    expect(await positions({ instrumentIds: [] })).toEqual(state.assetPositions);
    expect(await positions({ instrumentIds: [market.id], exchangeId: 1 })).toHaveLength(2);
    expect(await positions({ instrumentIds: [market.id + 1] })).toEqual([]);
    // The query does not support perps, so the venue rejects it rather than returning an empty
    // list.
    const ofPerps = { type: 'outcomePositions', user: alice.address, exchangeId: 0 };
    const refused = await world.client.info(ofPerps);
    expect([refused.status, refused.json.details.allowed]).toEqual([400, [1]]);
  });

  test('a partial sale releases its share of the cost and pays the fee', async () => {
    await placed(alice, market, 'buy Yes 30 at 0.60');
    await placed(bob, market, 'buy No 30 at 0.40');
    await placed(alice, market, 'buy No 10 at 0.45');
    await placed(bob, market, 'sell No 10 at 0.45');
    const [{ position }] = (await outcomeState(bob)).assetPositions;
    // The shares were bought for 12 with a fee of 0.504. Then 10 of them, with a cost of 4, were
    // sold for 4.5 minus a fee of 0.17325.
    expect(position).toMatchObject({ szi: '-20', entryPx: '0.4', marginUsed: '8' });
    expect(position).toMatchObject({ closedPnl: '0.5', cumFee: '-0.67725' });
    expect(await fundsOf(bob, market)).toBe('991.82275, 20 No');
  });
});

describe('R-split-merge: collateral and pairs are interchangeable', () => {
  test('split and merge convert collateral into pairs and back, either for all entries or for none', async () => {
    const other = await deployer.list();
    const reply = await operate(bob, 'split', [market, '100.25'], [other, '50']);
    expect(reply.json.data).toEqual({ type: 'OutcomeOperate', data: { statuses: ['success'] } });
    expect(await fundsOf(bob, market)).toBe('849.75, 100.25 Yes, 100.25 No');
    const entries = (await outcomeState(bob)).assetPositions.map(({ position }: Json) => [
      position.szi,
      position.entryPx,
    ]);
    expect(entries).toEqual([
      ['100.25', '0.5'],
      ['-100.25', '0.5'],
      ['50', '0.5'],
      ['-50', '0.5'],
    ]);
    const refused = refusalOf(await operate(bob, 'merge', [market, '100.25'], [other, '50.01']));
    expect(refused).toMatchObject({
      code: 10015,
      message: 'Insufficient shares to merge',
      details: { field: 'merge[1].sz', required: '50.01', available: '50' },
    });
    expect(await fundsOf(bob, market)).toBe('849.75, 100.25 Yes, 100.25 No');
    succeeded(await operate(bob, 'merge', [market, '0.25'], [other, '50']));
    expect(await fundsOf(bob, market)).toBe('900, 100 Yes, 100 No');
    const row = (type: string, of: OutcomeMarket, sz: string) => ({
      delta: { type, amount: sz, instrumentId: of.id, sz },
    });
    expect((await outcomeLedger(bob)).slice(0, 4)).toMatchObject([
      row('outcomeMerge', other, '50'),
      row('outcomeMerge', market, '0.25'),
      row('outcomeSplit', other, '50'),
      row('outcomeSplit', market, '100.25'),
    ]);
    expect(await bookOf(world, market)).toBe(' | ');
    expect((await contextOf()).lastPx).toBeNull();
  });

  test('merging shares that are on offer or splitting reserved money is rejected', async () => {
    await withPairs('100', bob);
    await placed(bob, market, 'sell Yes 40 at 0.70');
    expect(refusalOf(await operate(bob, 'merge', [market, '60.01'])).details).toMatchObject({
      required: '60.01',
      available: '60',
    });
    succeeded(await operate(bob, 'merge', [market, '60']));
    await placed(bob, market, 'buy Yes 1000 at 0.50');
    // The free balance is 960 − 500 − 17.5.
    expect(refusalOf(await operate(bob, 'split', [market, '442.51']))).toMatchObject({
      code: 10010,
      message: 'Insufficient balance',
      details: { field: 'split[0]', required: '442.51', available: '442.5' },
    });
    succeeded(await operate(bob, 'split', [market, '442.5']));
    expect(await fundsOf(bob, market)).toBe('0 + 517.5 reserved, 482.5 Yes, 482.5 No');
  });

  test.each<[string, object, number, string]>([
    ['a perp', { split: [{ asset: 1, sz: '1' }] }, 10015, 'Instrument is not an outcome market'],
    ['no market', { merge: [{ asset: 999_999, sz: '1' }] }, 10404, 'Instrument not found'],
    ['a conversion', { convert: [] }, 10001, 'This action is not allowed.'],
    ['both', { split: [], merge: [] }, 10002, ''],
    ['neither', {}, 10002, ''],
    ['no entries', { split: [] }, 10002, ''],
    ['51 entries', { split: Array.from({ length: 51 }, () => ({ asset: 1, sz: '1' })) }, 10002, ''],
  ])('outcomeOperate rejects %s', async (_, fields, code, message) => {
    const refused = refusalOf(await act(bob, { type: 'outcomeOperate', ...fields }));
    expect(refused.code).toBe(code);
    if (message !== '') expect(refused.message).toBe(message);
    expect(await fundsOf(bob, market)).toBe('1000');
  });
});
