import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { orderAction, signed, testKey } from '@oddlot/testing/venue/http/client';
import type { SignOptions } from '@oddlot/testing/venue/http/client';
import { startEdge, type TestEdge } from '@oddlot/testing/venue/http/test-edge';
import { ADMIN_KEY_BYTE } from '@oddlot/testing/venue/http/test-replica';

const alice = testKey(1);
const bob = testKey(2);
const admin = testKey(ADMIN_KEY_BYTE);

let edge: TestEdge;
let nonce = 0;

beforeEach(async () => {
  edge = await startEdge({ confirmTimeoutMs: 2000 });
  edge.replica.credit(alice.address);
  nonce = edge.replica.nowMs;
});
afterEach(() => edge.close());

type Sign = Partial<SignOptions>;
const send = (action: Record<string, unknown>, options: Sign = {}) =>
  edge.send('/exchange', signed(action, { key: alice, nonce: ++nonce, ...options }));
const confirmed = (action: Record<string, unknown>, options: Sign = {}) =>
  send(action, { confirm: 'executed', ...options });
const info = async (query: object) => (await edge.send('/info', query)).json.data;

describe('the operator can change the venue through actions', () => {
  const SOL = {
    name: 'SOL-USDC',
    baseCurrency: 'SOL',
    quoteCurrency: 'USDC',
    perpType: 'linear',
    szDecimals: 2,
    priceTick: '0.01',
    bookTicks: ['0.01', '0.1'],
    maxLimitOrderSize: '10000',
    maxMarketOrderSize: '1000',
    takerFeeRate: '0.00045',
    makerFeeRate: '0.00015',
    onlyIsolated: false,
    impactNotional: '6000',
    marginTable: {
      tiers: [{ tier: 1, minSize: '0', maxSize: '100000', maxLeverage: 20, mmr: '0.025' }],
    },
  };
  const operate = (variant: object, options: Sign = {}) =>
    confirmed({ type: 'venueAdmin', ...variant }, { key: admin, ...options });

  test('registerPerp lists a perp and returns its id', async () => {
    const reply = await operate({ registerPerp: SOL });
    expect(reply.json.data).toEqual({
      type: 'VenueAdmin',
      data: { statuses: ['success'], created: { instrumentId: 2 } },
    });
    const { universe } = await info({ type: 'perpMeta' });
    expect(universe[1]).toMatchObject({ name: 'SOL-USDC', index: 2, priceTick: '0.01' });
    const receipt = await info({ type: 'actionStatus', txHash: reply.json.txHash });
    expect(receipt).toMatchObject({ status: 'executed', actionType: 'venueAdmin', user: null });
    expect((await operate({ registerPerp: SOL })).json).toMatchObject({
      code: 10017,
      message: 'Name already used: SOL-USDC',
    });
  });

  test.each<[string, object, object]>([
    [
      'a tick off the grid',
      { priceTick: '0.000001' },
      { code: 10002, details: { field: 'registerPerp.priceTick' } },
    ],
    [
      'a rate that is too fine',
      { takerFeeRate: '0.0000000001' },
      { code: 10002, details: { field: 'registerPerp.takerFeeRate' } },
    ],
    [
      'an id that is taken',
      { instrumentId: 1 },
      { code: 10017, message: 'Instrument id already used: 1' },
    ],
    [
      'a table that opens at ratio 1',
      {
        marginTable: {
          tiers: [{ tier: 1, minSize: '0', maxSize: '10', maxLeverage: 100, mmr: '0.005' }],
        },
      },
      { code: 10017, name: 'DEPLOY' },
    ],
  ])('%s is rejected', async (_, change, expected) => {
    const reply = await operate({ registerPerp: { ...SOL, ...change } });
    expect(reply.json).toMatchObject({ status: 'err', ...expected });
  });

  test('setPerp halts and changes listed perps', async () => {
    await operate({
      setPerp: {
        instrumentId: 1,
        haltTrading: true,
        takerFeeRate: '0.0003',
        bookTicks: ['0.5', '5'],
      },
    });
    const detail = await info({ type: 'perpMetaDetail', assetName: 'BTC' });
    expect(detail.instruments[0].perp).toMatchObject({
      haltTrading: true,
      takerFeeRate: '0.0003',
      makerFeeRate: '0.00015',
      bookTicks: ['0.5', '5'],
    });
    expect((await send(orderAction())).json.message).toBe('Trading is halted for BTC-USDC');
    const unknown = await operate({ setPerp: { instrumentId: 9, haltTrading: true } });
    expect(unknown.json).toMatchObject({ code: 10404, details: { got: 9 } });
  });

  test('R-delist: a delisted perp closes after an hour, permanently', async () => {
    const { replica } = edge;
    await operate({ setPerp: { instrumentId: 1, delisted: true } });
    const shown = async () => (await info({ type: 'perpMeta' })).universe[0];
    const closingTime = replica.state.timeMs + 3_600_000;
    expect(await shown()).toMatchObject({ haltTrading: false, delisted: true, closingTime });
    expect((await send(orderAction())).json).toMatchObject({
      code: 10011,
      message: 'Market is closing',
    });
    for (let at = 5_000; at < 3_600_000; at += 5_000) {
      replica.pass(5_000);
      replica.pushOracle(1_000_000);
    }
    expect(await shown()).toMatchObject({ haltTrading: false, closingTime });
    replica.pass(5_000);
    nonce = replica.nowMs;
    expect(await shown()).toMatchObject({ haltTrading: true, delisted: true, closingTime });
    expect((await send(orderAction())).json.message).toBe('Instrument is delisted: BTC-USDC');
    const price = { instrumentId: 1, oraclePx: '100', externalPerpPx: null };
    const reply = await operate({ pushOracle: { prices: [price], time: edge.replica.nowMs + 1 } });
    expect(reply.json.data.data.statuses).toMatchObject([
      { error: 'prices[0]: Instrument is delisted: BTC-USDC' },
    ]);
  });

  test('pushOracle sets valid prices and reports the first skipped one', async () => {
    const time = edge.replica.nowMs + 1_000;
    edge.replica.nowMs = time;
    const price = { instrumentId: 1, oraclePx: '101.26', externalPerpPx: null };
    expect(
      (await operate({ pushOracle: { prices: [price], time } })).json.data.data.statuses,
    ).toEqual(['success']);
    const asset = await info({ type: 'activeAssetData', user: alice.address, coin: '1' });
    expect(asset.markPx).toBe('101.3');
    const old = await operate({ pushOracle: { prices: [price], time: time - 500 } });
    expect(old.json.data.data.statuses).toMatchObject([{ error: 'prices[0]: stale', code: 10000 }]);
    const unknown = { ...price, instrumentId: 9 };
    const mixed = await operate({ pushOracle: { prices: [price, unknown], time: time + 1 } });
    expect(mixed.json.data.data.statuses).toMatchObject([
      { error: 'prices[1]: Instrument not found' },
    ]);
  });

  test('setFeeTiers replaces the fee schedule', async () => {
    const tiers = [
      {
        level: 0,
        min14dTradingVolume: '0',
        perpMakerFeeRate: '0.0001',
        perpTakerFeeRate: '0.0004',
      },
      { level: 1, min14dTradingVolume: '1000', perpMakerFeeRate: '0', perpTakerFeeRate: '0.0003' },
    ];
    await operate({ setFeeTiers: { exchangeId: 0, tiers } });
    expect(await info({ type: 'feeTierInfo' })).toEqual({ tiers });
    expect(await info({ type: 'feeTierInfo', exchange_id: 1 })).toMatchObject({
      tiers: [{ level: 0, perpMakerFeeRate: '0', perpTakerFeeRate: '0' }],
    });
    expect(await info({ type: 'feeTierRates', user: alice.address })).toEqual({
      user: alice.address,
      level: 0,
      volume14d: '0',
      perpMakerFeeRate: '0.0001',
      perpTakerFeeRate: '0.0004',
      outcomeTakerFeeRate: '0.07',
      nextLevel: 1,
      nextMin14dTradingVolume: '1000',
    });
    const bad = await operate({ setFeeTiers: { exchangeId: 0, tiers: [tiers[1]] } });
    expect(bad.json).toMatchObject({ code: 10002, details: { field: 'setFeeTiers.tiers' } });
  });

  test('only a configured key can send venueAdmin, and each nonce is valid only once', async () => {
    const halt = { setPerp: { instrumentId: 1, haltTrading: true } };
    expect((await operate(halt, { key: alice })).json).toMatchObject({
      code: 10003,
      message: 'Signer is not permitted to send venueAdmin',
      details: { got: alice.address },
    });
    expect((await operate(halt, { vaultAddress: bob.address })).json).toMatchObject({
      code: 10003,
      message: 'vaultAddress is not allowed for this action',
    });
    const once = { nonce: nonce + 1 };
    const used = await operate(halt, once);
    expect(used.json).toMatchObject({ status: 'ok' });
    expect(
      (await operate({ setPerp: { instrumentId: 1, haltTrading: false } }, once)).json,
    ).toMatchObject({
      code: 10004,
      message: 'Nonce already used',
    });
  });
});
