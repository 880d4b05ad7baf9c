import { afterEach, describe, expect, test } from 'vitest';
import type { ExchangeEnvelope } from '@oddlot/protocol';
import { createClient, type Client } from '../client.ts';
import { ApiError, ValidationError } from '../errors.ts';
import { NonceSource } from '../nonce.ts';
import { FakeVenue } from '@oddlot/testing/sdk/fake-venue';
import { vectorOf } from '@oddlot/testing/sdk/vectors';
import { privateKeyWallet } from '../wallet.ts';
import { bracketOrder, limitOrder, positionTpsl, triggerOrder } from './order-entries.ts';

/** The vectors were generated with other libraries. */

const running: FakeVenue[] = [];
afterEach(async () => {
  for (const venue of running.splice(0)) await venue.stop();
});

type Body = Extract<ExchangeEnvelope, { data: object }>['data']['data'];

async function aVenue(data: Body = { statuses: ['success'] }, extra: object = {}) {
  const body = { status: 'ok', code: 0, data: { type: 'Any', data }, ...extra };
  const venue = await FakeVenue.start({ body });
  running.push(venue);
  return venue;
}

const KEY = `0x${'11'.repeat(32)}` as const;

function clientOf(venue: FakeVenue, privateKey: `0x${string}` = KEY, nonce = 1): Client {
  return createClient({
    url: venue.url,
    network: 'testnet',
    wallet: privateKeyWallet(privateKey),
    nonces: new NonceSource(() => nonce),
  });
}

const PERP = JSON.parse(vectorOf('venueAdmin-registerPerp').action).registerPerp as Parameters<
  Client['exchange']['venueAdmin']['registerPerp']
>[0];
const CLOID = '80f969de-f58c-4e50-bae2-86fe818208a5';
const VAULT = '0x2222222222222222222222222222222222222222';

const SENDS: Record<string, (exchange: Client['exchange']) => Promise<{ txHash: string }>> = {
  'order-ioc-isolated-hexcloid': (exchange) =>
    exchange.order({
      orders: [
        limitOrder({
          asset: 1,
          side: 'buy',
          price: '105',
          size: '0.25',
          tif: 'Ioc',
          marginMode: 'isolated',
          cloid: '0x80f969def58c4e50bae286fe818208a5',
        }),
      ],
    }),
  'order-gtd': (exchange) =>
    exchange.order({
      orders: [
        limitOrder({
          asset: 1,
          side: 'sell',
          price: '101.50',
          size: '2',
          tif: 'Gtd',
          expireTime: 1_767_229_200_000,
        }),
      ],
    }),
  'order-frontendmarket-reduce': (exchange) =>
    exchange.order({
      orders: [
        limitOrder({
          asset: 1,
          side: 'sell',
          price: '95',
          size: '0.5',
          tif: 'FrontendMarket',
          reduceOnly: true,
        }),
      ],
    }),
  'order-normalTpsl': (exchange) =>
    exchange.order(
      bracketOrder({
        parent: limitOrder({ asset: 1, side: 'buy', price: '100', size: '0.5' }),
        takeProfit: { triggerPrice: '120' },
        stopLoss: { triggerPrice: '90', limitPrice: '89.5' },
      }),
    ),
  'order-positionTpsl': (exchange) =>
    exchange.order(
      positionTpsl({ asset: 1, position: 'long', takeProfit: { triggerPrice: '120' } }),
    ),
  'modify2-by-oid': (exchange) => exchange.modify2({ a: 1, o: 12345, p: '99.5', s: '0.75' }),
  'modify2-by-cloid': (exchange) => exchange.modify2({ a: 1, c: CLOID, p: '99.5', s: '0.75' }),
  updatePositionMode: (exchange) => exchange.updatePositionMode({ positionMode: 'hedge' }),
  'updateLeverage-vault': (exchange) =>
    exchange.updateLeverage(
      { asset: 1, leverage: 10, marginMode: 'cross' },
      { vaultAddress: VAULT },
    ),
  'updateLeverage-hedge-short': (exchange) =>
    exchange.updateLeverage({ asset: 1, leverage: -25, marginMode: 'isolated' }),
  updateMarginMode: (exchange) => exchange.updateMarginMode({ asset: 1, isCross: false }),
  'updateIsolatedMargin-remove': (exchange) =>
    exchange.updateIsolatedMargin({ asset: 1, isBuy: true, ntli: -2_500_000 }),
  'scheduleCancel-set': (exchange) => exchange.scheduleCancel({ time: 1_767_225_660_000 }),
  'scheduleCancel-remove': (exchange) => exchange.scheduleCancel(),
  cancelAll: (exchange) => exchange.cancelAll(),
  'cancelAll-scoped': (exchange) => exchange.cancelAll({ asset: 100_001, accountType: 'outcome' }),
  'venueAdmin-registerPerp': (exchange) => exchange.venueAdmin.registerPerp(PERP),
  'venueAdmin-setPerp': (exchange) =>
    exchange.venueAdmin.setPerp({ takerFeeRate: '0.0004', haltTrading: true, instrumentId: 1 }),
  'venueAdmin-pushOracle': (exchange) =>
    exchange.venueAdmin.pushOracle({
      prices: [
        { instrumentId: 1, oraclePx: '97120', externalPerpPx: '97131' },
        { instrumentId: 2, oraclePx: '3401.2', externalPerpPx: null },
      ],
      time: 1_767_225_600_000,
    }),
  'venueAdmin-setFeeTiers': (exchange) =>
    exchange.venueAdmin.setFeeTiers({
      exchangeId: 0,
      tiers: [
        {
          level: 0,
          min14dTradingVolume: '0',
          perpMakerFeeRate: '0.00015',
          perpTakerFeeRate: '0.00045',
        },
        {
          level: 1,
          min14dTradingVolume: '5000000',
          perpMakerFeeRate: '0.00012',
          perpTakerFeeRate: '0.0004',
        },
      ],
    }),
};

describe('the trading and operator methods send the same requests as the vectors', () => {
  test.each(Object.entries(SENDS))(
    'the request of "%s" matches its vector byte for byte',
    async (name, send) => {
      const given = vectorOf(name);
      const venue = await aVenue();
      const { serviceNetwork, chainId, apiVersion, nonce, privateKey } = given;
      const client = createClient({
        url: venue.url,
        network: { serviceNetwork, chainId, apiVersion },
        wallet: privateKeyWallet(privateKey),
        nonces: new NonceSource(() => nonce),
        // The vectors were signed without an expiry.
        orderLifeMs: Infinity,
      });
      const reply = await send(client.exchange);
      const { path, text } = venue.received[0]!;
      const envelope = JSON.parse(text);
      expect(path).toBe('/exchange');
      expect(text.startsWith(`{"action":${given.action},`)).toBe(true);
      expect(envelope.signature).toEqual(given.signature);
      expect(envelope.nonce).toBe(nonce);
      expect(envelope.vaultAddress ?? null).toBe(given.vaultAddress);
      expect(reply.txHash).toBe(given.txHash);
    },
  );
});

test.each<[object, string]>([
  [{ asset: 1 }, '{"type":"reversePosition","asset":1}'],
  [{ isBuy: false, asset: 1 }, '{"type":"reversePosition","asset":1,"isBuy":false}'],
])('reversePosition %o is sent in key order', async (parameters, action) => {
  const venue = await aVenue();
  await clientOf(venue).exchange.reversePosition(parameters as { asset: number });
  expect(venue.received[0]?.text.startsWith(`{"action":${action},`)).toBe(true);
});

describe('the order builders return valid order entries', () => {
  test('only a Gtd order has an expiry', () => {
    const order = { asset: 3, side: 'sell', price: '200', size: '1' } as const;
    expect(limitOrder({ ...order, tif: 'Gtd', expireTime: 9 }).t).toEqual({
      limit: { tif: 'Gtd', expireTime: 9 },
    });
    expect(limitOrder(order)).toEqual({
      a: 3,
      b: false,
      p: '200',
      s: '1',
      r: false,
      t: { limit: { tif: 'Gtc' } },
    });
  });

  test('a trigger order without a price is a market order, and trigger orders are reduce-only by default', () => {
    const stop = { asset: 3, side: 'buy', size: '1', kind: 'sl', triggerPrice: '210' } as const;
    const trigger = { isMarket: true, triggerPx: '210', tpsl: 'sl' };
    expect(triggerOrder(stop)).toMatchObject({ b: true, p: '210', r: true, t: { trigger } });
    expect(triggerOrder({ ...stop, limitPrice: '212', reduceOnly: false })).toMatchObject({
      p: '212',
      r: false,
      t: { trigger: { ...trigger, isMarket: false } },
    });
  });

  test('the TP/SL orders of a short parent order are buy orders with its margin mode', () => {
    const parent = limitOrder({
      asset: 3,
      side: 'sell',
      price: '180',
      size: '2',
      marginMode: 'isolated',
    });
    const { grouping, orders } = bracketOrder({ parent, stopLoss: { triggerPrice: '190' } });
    expect(grouping).toBe('normalTpsl');
    expect(orders[1]).toMatchObject({ a: 3, b: true, s: '2', r: true, m: 'isolated' });
  });

  test('TP/SL orders for part of a short position are buy orders for that part', () => {
    const { grouping, orders } = positionTpsl({
      asset: 3,
      position: 'short',
      size: '0.5',
      takeProfit: { triggerPrice: '170', limitPrice: '170.5' },
      stopLoss: { triggerPrice: '190' },
    });
    expect(grouping).toBe('positionTpsl');
    expect(orders.map(({ b, s, r }) => [b, s, r])).toEqual([
      [true, '0.5', true],
      [true, '0.5', true],
    ]);
  });
});

describe('malformed trading and operator actions are rejected', () => {
  test.each<[string, (exchange: Client['exchange']) => Promise<unknown>]>([
    ['a fractional margin', (e) => e.updateIsolatedMargin({ asset: 1, isBuy: true, ntli: 0.5 })],
    ['a fractional leverage', (e) => e.updateLeverage({ asset: 1, leverage: 2.5 })],
    ['a negative asset', (e) => e.cancelAll({ asset: -1, accountType: 'perp' })],
    [
      'a tick that is not a decimal',
      (e) => e.venueAdmin.setPerp({ instrumentId: 1, priceTick: '' }),
    ],
  ])('%s is rejected before anything is sent', async (_, send) => {
    const venue = await aVenue();
    await expect(send(clientOf(venue).exchange)).rejects.toThrow(ValidationError);
    expect(venue.received).toEqual([]);
  });
});

describe('a confirmed reply contains the results of the action', () => {
  const confirmed = { confirm: 'executed', txHash: `0x${'0'.repeat(64)}`, height: 7 };

  test('the reply to a listing contains the assigned id', async () => {
    const data = { statuses: ['success'], created: { instrumentId: 4 } } as unknown as Body;
    const { exchange } = clientOf(await aVenue(data, confirmed));
    const reply = await exchange.venueAdmin.registerPerp(PERP, { confirm: 'executed' });
    expect(reply).toMatchObject({ status: 'executed', height: 7, created: { instrumentId: 4 } });
  });

  test('a skipped price is reported, not thrown, because the other prices were accepted', async () => {
    const status = { error: 'prices[1]: Instrument not found', code: 10_404, name: 'NOT_FOUND' };
    const { exchange } = clientOf(await aVenue({ statuses: [status] }, confirmed));
    const prices = [1, 777].map((instrumentId) => ({
      instrumentId,
      oraclePx: '100',
      externalPerpPx: null,
    }));
    const reply = await exchange.venueAdmin.pushOracle(
      { prices, time: 1 },
      { confirm: 'executed' },
    );
    expect(reply).toMatchObject({ status: 'executed', failure: status, orders: [] });
  });

  test('an error is thrown for a setting that is rejected at execution', async () => {
    const status = { error: 'Insufficient margin', code: 10_010, name: 'MARGIN' };
    const { exchange } = clientOf(await aVenue({ statuses: [status] }, confirmed));
    const failed = exchange.updateLeverage({ asset: 1, leverage: 2 }, { confirm: 'executed' });
    await expect(failed).rejects.toThrow(ApiError);
    await expect(failed).rejects.toMatchObject({ name: 'MARGIN', code: 10_010 });
  });
});
