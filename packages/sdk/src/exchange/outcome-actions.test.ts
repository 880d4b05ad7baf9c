import { afterEach, describe, expect, test } from 'vitest';
import { bytesToHex, encodeMsgpack } from '@oddlot/protocol';
import { createClient, type Client } from '../client.ts';
import { ValidationError } from '../errors.ts';
import { NonceSource } from '../nonce.ts';
import { FakeVenue, type Answer } from '@oddlot/testing/sdk/fake-venue';
import { vectorOf } from '@oddlot/testing/sdk/vectors';
import { privateKeyWallet } from '../wallet.ts';
import { buyNo, buyYes, otherLegPrice, sellNo, sellYes } from './outcome-orders.ts';

const running: FakeVenue[] = [];
afterEach(async () => {
  for (const venue of running.splice(0)) await venue.stop();
});

async function aVenue(...script: Answer[]): Promise<FakeVenue> {
  const venue = await FakeVenue.start(...script);
  running.push(venue);
  return venue;
}

const SUCCESS = { status: 'ok', code: 0, data: { type: 'Any', data: { statuses: ['success'] } } };
const DAY = { startTime: 1_767_225_600_000, endTime: 1_767_312_000_000 };
const SIZES = {
  priceTick: '0.01',
  sizeDecimals: 2,
  minOrderSize: '5',
  maxOrderSize: '100000',
  takerFeeRate: '0.02',
};

const SENDS: Record<string, (exchange: Client['exchange']) => Promise<{ txHash: string }>> = {
  'order-outcome-buy-no': ({ order }) =>
    order({ orders: [buyNo({ asset: 100_001, price: '0.37', size: '25' })] }),
  'outcomeOperate-split': ({ outcomeOperate }) =>
    outcomeOperate({ split: [{ asset: 100_001, sz: '100' }] }),
  'outcomeOperate-merge': ({ outcomeOperate }) =>
    outcomeOperate({
      merge: [
        { asset: 100_001, sz: '40' },
        { asset: 100_002, sz: '12.5' },
      ],
    }),
  // These keys are deliberately not in signing order.
  'outcomeDeploy-registerEvent': ({ outcomeDeploy }) =>
    outcomeDeploy.registerEvent({
      ...DAY,
      mutuallyExclusive: false,
      image: null,
      icon: null,
      category: 'weather',
      tags: ['weather'],
      slug: 'rain-2027-01-01',
      title: 'Rain on New Year?',
      description: 'Station 7, UTC day.',
    }),
  'outcomeDeploy-registerMarket': ({ outcomeDeploy }) =>
    outcomeDeploy.registerMarket({
      ...DAY,
      ...SIZES,
      orderDelayMs: 0,
      underlying: null,
      outcomes: ['Yes', 'No'],
      eventSlug: 'rain-2027-01-01',
      slug: 'rain-2027-01-01-yes',
      question: 'Will it rain?',
      groupTitle: null,
      description: 'At least 1 mm.',
      resolutionSource: 'station log',
    }),
  'outcomeDeploy-registerSeries': ({ outcomeDeploy }) =>
    outcomeDeploy.registerSeries({
      ...SIZES,
      slug: 'btc-up-or-down-15m',
      title: 'BTC up or down, 15 minutes',
      symbol: 'BTC',
      recurrence: '15m',
      source: 'oracle',
      category: 'crypto',
      tags: ['crypto', 'btc'],
      image: null,
      icon: null,
      firstStartTime: DAY.startTime,
      listAhead: 4,
      orderDelayMs: 250,
      enabled: true,
    }),
  'outcomeDeploy-setTrading': ({ outcomeDeploy }) =>
    outcomeDeploy.setTrading({ instrumentIds: [100_001], state: 'halt' }),
  'outcomeDeploy-pushPrice': ({ outcomeDeploy }) =>
    outcomeDeploy.pushPrice({
      prices: [{ symbol: 'BTC', source: 'oracle', px: '97123.45', time: DAY.startTime }],
    }),
  'outcomeDeploy-resolve': ({ outcomeDeploy }) =>
    outcomeDeploy.resolve({
      instrumentId: 100_001,
      settlementFraction: '1',
      oracleOutcome: 'Yes',
      evidence: 'station log 2027-01-01: 4.2 mm',
    }),
};

test.each(Object.entries(SENDS))('the request of "%s" matches its vector', async (name, send) => {
  const given = vectorOf(name);
  const venue = await aVenue({ body: SUCCESS });
  const wallet = privateKeyWallet(given.privateKey);
  const nonces = new NonceSource(() => given.nonce);
  const reply = await send(
    createClient({ url: venue.url, network: given, wallet, nonces, orderLifeMs: Infinity })
      .exchange,
  );
  const { path, text } = venue.received[0]!;
  const { action, signature } = JSON.parse(text);
  expect(path).toBe('/exchange');
  expect(text.startsWith(`{"action":${given.action},`)).toBe(true);
  expect(bytesToHex(encodeMsgpack(action))).toBe(given.msgpack);
  expect(signature).toEqual(given.signature);
  expect(reply.txHash).toBe(given.txHash);
});

describe('the builders of outcome orders return valid order entries', () => {
  const asked = { asset: 100_001, price: '0.37', size: '25' };

  test.each([
    ['buyYes', buyYes, { b: true, r: false }],
    ['sellYes', sellYes, { b: false, r: true }],
    ['buyNo', buyNo, { b: false, r: false }],
    ['sellNo', sellNo, { b: true, r: true }],
  ])(
    '%s sets the flags of its outcome and side, and the price of that outcome (R-one-book)',
    (_, write, flags) => {
      const limit = { tif: 'Gtc' };
      expect(write(asked)).toEqual({ a: 100_001, p: '0.37', s: '25', ...flags, t: { limit } });
    },
  );

  test('an outcome order can be post-only, can expire and can have a client order id', () => {
    const cloid = '80f969de-f58c-4e50-bae2-86fe818208a5';
    expect(buyYes({ ...asked, tif: 'Alo', cloid })).toMatchObject({
      t: { limit: { tif: 'Alo' } },
      c: cloid,
    });
    expect(sellNo({ ...asked, tif: 'Gtd', expireTime: 7 }).t).toEqual({
      limit: { tif: 'Gtd', expireTime: 7 },
    });
  });

  test.each([
    ['0.37', '0.63'],
    ['0.999', '0.001'],
    ['0.5', '0.5'],
    ['1', '0'],
  ])('the price of the other outcome of one at %s is %s', (price, other) => {
    expect(otherLegPrice(price)).toBe(other);
    expect(otherLegPrice(other)).toBe(price);
  });

  test.each(['1.01', '-0.1', '0.0000001', 'half'])(
    'otherLegPrice rejects %s, which is not a price of a share',
    (price) => {
      expect(() => otherLegPrice(price)).toThrow(ValidationError);
    },
  );
});

describe('an acknowledged outcome order can be tracked until it has a result', () => {
  const traceId = '0b7f3a52-6c1e-5d84-9a3b-2f1d0c9e8b7a';
  const wallet = privateKeyWallet(vectorOf('order-gtc').privateKey);
  const orders = [buyYes({ asset: 100_001, price: '0.6', size: '10' })];

  test('the reply to an outcome order includes its trace id', async () => {
    const venue = await aVenue({ body: { status: 'ok', traceId } });
    const { exchange } = createClient({ url: venue.url, network: 'testnet', wallet });
    expect(await exchange.order({ orders })).toMatchObject({ status: 'queued', traceId });
  });

  test('a confirmed reply includes the trace id whether or not the order has been executed', async () => {
    const result = { type: 'PlaceOrder', data: { statuses: ['success'], orders: [] } };
    const envelope = { confirm: 'executed', txHash: '0x', height: 7, traceId };
    const venue = await aVenue(
      { status: 202, body: { status: 'pending', txHash: '0x', traceId } },
      { body: { status: 'ok', code: 0, ...envelope, data: result } },
    );
    const { exchange } = createClient({ url: venue.url, network: 'testnet', wallet });
    const confirm = { confirm: 'executed' } as const;
    expect(await exchange.order({ orders }, confirm)).toMatchObject({ status: 'pending', traceId });
    expect(await exchange.order({ orders }, confirm)).toMatchObject({ height: 7, traceId });
  });

  test('waitForAction polls until the receipt has a final status', async () => {
    const receipt = (status: string) => ({ body: { success: true, code: 0, data: { status } } });
    const venue = await aVenue(receipt('queued'), receipt('queued'), receipt('failed'));
    const { exchange } = createClient({ url: venue.url });
    const ended = await exchange.waitForAction({ traceId }, { intervalMs: 1 });
    expect(ended).toEqual({ status: 'failed' });
    const asked = { type: 'actionStatus', traceId };
    expect(venue.received.map(({ text }) => JSON.parse(text))).toEqual([asked, asked, asked]);
  });
});
