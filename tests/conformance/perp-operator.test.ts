import { describe, expect, test } from 'vitest';
import { aSharedVenue } from '../support/actors.ts';
import { eventually, type Json } from '../support/client.ts';
import {
  act,
  definition,
  succeeded,
  expectRefusal,
  leverageOf,
  Operator,
  OPERATED,
  perpMetaOf,
  perpOrder,
  refusalOf,
  TIERS,
  type OwnPerp,
} from '../support/perps.ts';

const world = aSharedVenue(OPERATED);
const operator = new Operator(world);

const universe = async (): Promise<Json[]> =>
  (await world.client.data({ type: 'perpMeta' })).universe;
const metaOf = (id: number) => perpMetaOf(world, id);

function malformed(reply: { status: number; text: string; json: Json }, field?: string): void {
  expect(reply.status, reply.text).toBe(400);
  expect(reply.json).toMatchObject({ status: 'err', code: 10002 });
  if (field !== undefined) expect(reply.json.details?.field, reply.text).toContain(field);
}

describe('admin actions must be well-formed and signed by an admin', () => {
  const message = 'Signer is not permitted to send venueAdmin';
  const harmless = { type: 'venueAdmin', setPerp: { instrumentId: 1, haltTrading: true } };

  test("a trader, an unknown address and the admin's agent are all rejected", async () => {
    const alice = await world.trader('alice');
    expectRefusal(await act(alice, harmless), 10003, message);
    expectRefusal(await act(world.unfunded('stranger'), harmless), 10003, message);
    const agent = world.unfunded('agent');
    await world.client.post('/request-fund', { user: operator.actor.address });
    succeeded(await operator.actor.approveAgent(agent.address, 'agent'));
    expectRefusal(await act(agent, harmless), 10003, message);
    expect(await metaOf(1)).toMatchObject({ haltTrading: false });
  });

  test('an admin action with a vaultAddress is rejected', async () => {
    const vaultAddress = world.unfunded('vault').address;
    const signed = await operator.actor.sign(harmless, { vaultAddress });
    const reply = await world.client.executed(signed);
    expectRefusal(reply, 10003, 'vaultAddress is not allowed for this action');
  });

  test('an admin action requires exactly one variant', async () => {
    const push = { prices: [{ instrumentId: 1, oraclePx: '1', externalPerpPx: null }], time: 1 };
    malformed(await operator.send({}));
    malformed(await operator.send({ setPerp: harmless.setPerp, pushOracle: push }));
  });

  test('an admin action with unknown keys, at the top level or inside a variant, is rejected', async () => {
    malformed(await operator.send({ setPerp: harmless.setPerp, note: 'x' }));
    malformed(await operator.send({ setPerp: { ...harmless.setPerp, halted: true } }));
    malformed(await operator.send({ registerPerp: definition({ colour: 'red' }) }));
    const price = { instrumentId: 1, oraclePx: '1', externalPerpPx: null, source: 'me' };
    malformed(await operator.push([price]));
    const [tier] = TIERS;
    const marginTable = { tiers: [{ ...tier, note: 1 }] };
    malformed(await operator.send({ registerPerp: definition({ marginTable }) }));
    malformed(await operator.send({ nonsense: {} }));
    expect(await metaOf(1)).toMatchObject({ haltTrading: false });
  });

  test('R-nonce: an admin action whose nonce is already used is rejected', async () => {
    const perp = await operator.list();
    const prices = [{ instrumentId: perp.id, oraclePx: '101', externalPerpPx: null }];
    const action = { type: 'venueAdmin', pushOracle: { prices, time: Date.now() } };
    const nonce = Date.now() - 3 * 24 * 3_600_000;
    const reply = await world.client.executed(await operator.actor.sign(action, { nonce }));
    expectRefusal(reply, 10004, 'Nonce too old');
  });
});

describe('registerPerp lists a perp', () => {
  test('registerPerp lists the perp as defined, with its own id', async () => {
    const perp = definition({ tagIds: [3, 4] });
    const reply = await operator.send({ registerPerp: perp });
    expect(reply.json.data.type).toBe('VenueAdmin');
    const { instrumentId } = succeeded(reply).created;
    expect(await metaOf(instrumentId)).toMatchObject({
      name: perp['name'],
      index: instrumentId,
      baseCurrency: perp['baseCurrency'],
      quoteCurrency: 'USDC',
      currencyType: 'usdc',
      basePrecision: '0.001',
      quotePrecision: '0.000001',
      szDecimals: 3,
      maxLeverage: 20,
      tokens: [100 + instrumentId, 1],
      priceTick: '0.01',
      pricePrecision: '0.01',
      bookTicks: ['0.01', '0.1', '1'],
      maxLimitOrderSize: 2000,
      maxMarketOrderSize: 1000,
      haltTrading: false,
      onlyIsolated: false,
      delisted: false,
      closingTime: null,
      useNotionalMargin: false,
      tagIds: [3, 4],
    });
    const assetName = perp['baseCurrency'];
    const detail = await world.client.data({ type: 'perpMetaDetail', assetName });
    expect(detail.asset).toMatchObject({
      name: assetName,
      assetId: 100 + instrumentId,
      weiDecimals: 6,
    });
    expect(detail.instruments).toMatchObject([
      {
        perp: { name: perp['name'], perpType: 'linear', takerFeeRate: '0.00045' },
        marginTable: { instrumentId, tiers: TIERS },
      },
    ]);
  });

  test('registerPerp accepts a given id only once', async () => {
    const instrumentId = 4_321;
    const reply = await operator.send({ registerPerp: definition({ instrumentId }) });
    expect(succeeded(reply).created).toMatchObject({ instrumentId });
    expectRefusal(
      await operator.send({ registerPerp: definition({ instrumentId }) }),
      10017,
      `Instrument id already used: ${instrumentId}`,
    );
    // Perps have ids below 100,000.
    const outside = await operator.send({ registerPerp: definition({ instrumentId: 100_000 }) });
    expect(refusalOf(outside).code).toBeGreaterThan(0);
  });

  test('registerPerp rejects a duplicate name', async () => {
    const reply = await operator.send({ registerPerp: definition({ name: 'BTC-USDC' }) });
    expect(refusalOf(reply).code).toBe(10017);
    expect((await universe()).filter((entry) => entry.name === 'BTC-USDC')).toHaveLength(1);
  });

  test('trading starts with the first oracle price', async () => {
    const alice = await world.trader('alice');
    const { instrumentId } = succeeded(await operator.send({ registerPerp: definition() })).created;
    const order = {
      a: instrumentId,
      b: true,
      p: '100',
      s: '1',
      r: false,
      t: { limit: { tif: 'Gtc' } },
    };
    const name = (await metaOf(instrumentId)).name;
    const refused = refusalOf(await alice.place(order));
    expect(refused).toMatchObject({ code: 10000, message: `Oracle is stale for ${name}` });
    succeeded(await operator.push([{ instrumentId, oraclePx: '100', externalPerpPx: null }]));
    succeeded(await alice.place(order));
  });

  const [first, second, third] = TIERS as [Json, Json, Json];
  test.each<[string, Json[]]>([
    ['tiers not numbered from 1', [{ ...first, tier: 2 }]],
    ['a first minSize above 0', [{ ...first, minSize: '1' }]],
    ['a gap', [first, { ...second, minSize: '1001' }]],
    ['an overlap', [first, { ...second, minSize: '999' }]],
    ['an empty tier', [{ ...first, maxSize: '0' }]],
    ['mmr that does not rise', [first, { ...second, mmr: '0.025' }]],
    ['leverage that does not fall', [first, { ...second, maxLeverage: 20 }]],
    // The value 1 / 20 must exceed mmr + 0.005 + 0.00045.
    ['a tier born at liquidation', [{ ...first, mmr: '0.04455' }]],
    ['a later tier born at liquidation', [first, second, { ...third, mmr: '0.2' }]],
  ])('registerPerp rejects a margin table with %s', async (_, tiers) => {
    const reply = await operator.send({ registerPerp: definition({ marginTable: { tiers } }) });
    const refused = refusalOf(reply);
    expect(refused.code, reply.text).toBe(10017);
    expect(refused.message).toMatch(/^Invalid margin table: .+/);
  });

  test('registerPerp accepts a margin table that is exactly at its limit', async () => {
    const tiers = [{ ...first, mmr: '0.04454' }];
    succeeded(await operator.send({ registerPerp: definition({ marginTable: { tiers } }) }));
  });

  test.each<[string, object]>([
    ['szDecimals', { szDecimals: 7 }],
    ['szDecimals', { szDecimals: -5 }],
    ['szDecimals', { szDecimals: 1.5 }],
    ['name', { name: '4711' }],
    ['priceTick', { priceTick: '0' }],
    ['priceTick', { priceTick: '0.0001' }],
    ['priceTick', { priceTick: 1 }],
    ['bookTicks', { bookTicks: [] }],
    ['bookTicks', { bookTicks: Array.from({ length: 9 }, (_, i) => String(i + 1)) }],
    ['maxLimitOrderSize', { maxLimitOrderSize: '0' }],
    ['maxMarketOrderSize', { maxMarketOrderSize: '1.0001' }],
    ['takerFeeRate', { takerFeeRate: '-0.1' }],
    ['takerFeeRate', { takerFeeRate: '1' }],
    ['quoteCurrency', { quoteCurrency: 'EUR' }],
    ['perpType', { perpType: 'inverse' }],
    ['impactNotional', { impactNotional: '0' }],
    ['premiumCap', { premiumCap: '1' }],
    ['premiumCap', { premiumCap: '-0.01' }],
    ['marginTable', { marginTable: { tiers: [] } }],
  ])('registerPerp names the field of an invalid %s: %j', async (field, changes) => {
    const before = (await universe()).length;
    const reply = await operator.send({ registerPerp: definition({ ...changes }) });
    const refused = refusalOf(reply);
    expect(refused.code, reply.text).toBe(10002);
    expect(JSON.stringify(refused)).toContain(field === 'marginTable' ? 'tiers' : field);
    expect((await universe()).length).toBe(before);
  });

  test.each([-1, 0, 6])('R-units: registerPerp accepts %d size decimals', async (szDecimals) => {
    const tick = szDecimals === 6 ? '1' : '0.1';
    const sizes = { maxLimitOrderSize: '2000', maxMarketOrderSize: '1000' };
    const perp = await operator.list({ szDecimals, priceTick: tick, bookTicks: [tick], ...sizes });
    const step = { [-1]: '10', 0: '1', 6: '0.000001' }[szDecimals];
    expect((await metaOf(perp.id)).basePrecision).toBe(step);
    const alice = await world.trader('alice');
    succeeded(await alice.place(perpOrder({ market: perp, side: 'buy', price: '90', size: '10' })));
    const fine = perpOrder({ market: perp, side: 'buy', price: '90', size: '10.0000001' });
    const message = `Size precision does not match the lot size: ${step}`;
    expectRefusal(await alice.place(fine), 10000, message);
  });
});

describe('pushOracle sets oracle prices', () => {
  const entry = (
    market: OwnPerp | number,
    oraclePx: string,
    externalPerpPx: string | null = null,
  ) => ({
    instrumentId: typeof market === 'number' ? market : market.id,
    oraclePx,
    externalPerpPx,
  });
  const reader = world.unfunded.bind(world, 'reader');
  const markOf = async (perp: OwnPerp) => (await leverageOf(reader(), perp)).markPx;

  test('pushOracle skips stale entries and applies the others', async () => {
    const [perp, other] = [await operator.list(), await operator.list()];
    const time = Date.now();
    succeeded(await operator.push([entry(perp, '101')], time));
    // The time is before the first instrument's last observation, but after the second's.
    const refused = refusalOf(
      await operator.push([entry(perp, '150'), entry(other, '102')], time - 1),
    );
    expect(refused.message).toBe('prices[0]: stale');
    expect([await markOf(perp), await markOf(other)]).toEqual(['101', '102']);
    // A price with the same time as the last observation is applied.
    succeeded(await operator.push([entry(perp, '103')], time));
    expect(await markOf(perp)).toBe('103');
  });

  test('R-oracle-stale: pushOracle treats a time up to 5 s ahead as now, and skips later times', async () => {
    const perp = await operator.list();
    succeeded(await operator.push([entry(perp, '101')], Date.now() + 3_500));
    expect(await markOf(perp)).toBe('101');
    // The future price was applied as if observed now, so a price observed now is not older.
    await new Promise((resolve) => setTimeout(resolve, 5));
    succeeded(await operator.push([entry(perp, '102')], Date.now()));
    const refused = refusalOf(await operator.push([entry(perp, '103')], Date.now() + 60_000));
    expect(refused.message).toBe('prices[0]: stale');
    expect(await markOf(perp)).toBe('102');
  });

  test('pushOracle skips an unknown instrument and a price of 0 and applies the other entries', async () => {
    const [perp, other] = [await operator.list(), await operator.list()];
    const refused = refusalOf(
      await operator.push([entry(77_777, '1'), entry(perp, '0'), entry(other, '105')]),
    );
    expect(refused.message).toMatch(/^prices\[0\]: /);
    expect([await markOf(perp), await markOf(other)]).toEqual(['100', '105']);
  });

  test('R-mark: the external price is C, within the band', async () => {
    const perp = await operator.list();
    const alice = await world.trader('alice');
    // R-mark: with an empty book, A and B are the oracle price, so C alone has no effect.
    succeeded(await operator.push([entry(perp, '100', '100.5')]));
    expect(await markOf(perp)).toBe('100');
    // R-mark: B is the bid, which is above C. A has only just started to move away from the oracle
    // price, so C is the median.
    succeeded(
      await alice.place(
        perpOrder({ market: perp, side: 'buy', price: '102', size: '1' }),
        perpOrder({ market: perp, side: 'sell', price: '103', size: '1' }),
      ),
    );
    await eventually(async () => expect(await markOf(perp)).toBe('100.5'));
    // The band at 20 times leverage and an mmr of 2.5% is (0.05 − 0.025 − 0.005 − 0.00045) / (2 +
    // 0.025 + 0.005 + 0.05) of the oracle.
    succeeded(await operator.push([entry(perp, '100', '101')]));
    await eventually(async () => expect(await markOf(perp)).toMatch(/^100\.(939|94)/));
  });

  test('pushOracle requires between 1 and 200 prices', async () => {
    const perp = await operator.list();
    malformed(await operator.push([]));
    malformed(await operator.push(Array.from({ length: 201 }, () => entry(perp, '100'))));
    succeeded(await operator.push(Array.from({ length: 200 }, () => entry(perp, '100'))));
  });
});
