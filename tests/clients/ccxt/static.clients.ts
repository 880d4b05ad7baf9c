import { createHasher, NETWORKS, privateKeyWallet, signAction } from '@oddlot/sdk';
import { MESSAGES } from '@oddlot/protocol';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../support/client.ts';
import {
  CLASSES,
  type ClassName,
  offlineExchange,
  readCases,
  type RequestCase,
  requestOf,
  type ResponseCase,
  resultOf,
  STATIC_KEY,
  STATIC_URL,
  without,
} from './static-cases.ts';

/**
 * Goal: neither the ccxt classes' requests nor how they interpret responses changes by accident.
 * Method: use cases in ccxt's format, with requests and recorded responses as literal JSON.
 */

const NAMES = Object.keys(CLASSES) as ClassName[];

const casesOf = <Case extends { description: string; method: string }>(
  kind: 'request' | 'response',
  name: ClassName,
): [string, Case][] =>
  Object.values(readCases<Case>(kind, name).methods)
    .flat()
    .map((each) => [`${each.method}: ${each.description}`, each]);

/** In JSON, null represents an omitted parameter. */
const inputOf = (input: readonly Json[]): Json[] =>
  input.map((value) => (value === null ? undefined : value));

describe.each(NAMES)('the static cases of %s', (name) => {
  const { exchange: id, skipKeys } = readCases<RequestCase>('request', name);

  test("the cases have the exchange's name", () => expect(offlineExchange(name).id).toBe(id));

  test.each(casesOf<RequestCase>('request', name))('request of %s', async (_, each) => {
    const call = { method: each.method, input: inputOf(each.input) };
    const { body, url } = await requestOf(offlineExchange(name), call);
    expect(url).toBe(each.url);
    expect(without(body, skipKeys)).toEqual(JSON.parse(each.output));
  });

  const signed = casesOf<RequestCase>('request', name).filter(([, { url }]) =>
    url.endsWith('/exchange'),
  );
  test.each(signed)("the signature of %s is the SDK's", async (_, each) => {
    const call = { method: each.method, input: inputOf(each.input) };
    const { body } = await requestOf(offlineExchange(name), call);
    const { action, signature: __, ...fields } = body;
    const hasher = createHasher(NETWORKS.testnet);
    const wallet = privateKeyWallet(STATIC_KEY as `0x${string}`);
    const own = await signAction(action, fields, { hasher, wallet });
    expect(body).toEqual(JSON.parse(own.body));
  });

  test.each(casesOf<ResponseCase>('response', name))('result of %s', async (_, each) => {
    const input = inputOf(each.input);
    const result = await resultOf(offlineExchange(name), { ...each, input });
    const { skipKeys: skipped } = readCases<ResponseCase>('response', name);
    expect(without(result, skipped)).toEqual(without(each.parsedResponse, skipped));
  });
});

/** The venue's refusals, with the error classes that bots catch. */
const REFUSALS: readonly (readonly [keyof typeof MESSAGES, string, string])[] = [
  ['priceOffTick', 'INVALID', 'InvalidOrder'],
  ['sizeAboveMax', 'INVALID', 'InvalidOrder'],
  ['invalidLimit', 'INVALID', 'BadRequest'],
  ['tradingHalted', 'INVALID', 'MarketClosed'],
  ['notAllowed', 'NOT_ALLOWED', 'NotSupported'],
  ['missingField', 'BAD_REQUEST', 'BadRequest'],
  ['invalidSignature', 'UNAUTHORIZED', 'AuthenticationError'],
  ['nonceUsed', 'BAD_NONCE', 'InvalidNonce'],
  ['networkMismatch', 'MISMATCH', 'AuthenticationError'],
  ['noAccount', 'NO_ACCOUNT', 'AccountNotEnabled'],
  ['userBlacklisted', 'GATED', 'PermissionDenied'],
  ['agentsFull', 'AGENT', 'OperationRejected'],
  ['leverageOpenOrders', 'LEVERAGE', 'OperationRejected'],
  ['insufficientMargin', 'MARGIN', 'InsufficientFunds'],
  ['orderGone', 'ORDER', 'OrderNotFound'],
  ['postOnlyWouldMatch', 'ORDER', 'OrderImmediatelyFillable'],
  ['duplicateCloid', 'ORDER', 'DuplicateOrderId'],
  ['tooManyOpenOrders', 'ORDER', 'InvalidOrder'],
  ['buildersFull', 'BUILDER', 'OperationRejected'],
  ['unsupportedVersion', 'VERSION', 'NotSupported'],
  ['invalidAddress', 'FUNDS', 'InvalidAddress'],
  ['outcomeResolved', 'OUTCOME', 'MarketClosed'],
  ['insufficientShares', 'OUTCOME', 'InsufficientFunds'],
  ['actionExpired', 'EXPIRED', 'OperationRejected'],
  ['rateLimited', 'RATE_LIMITED', 'RateLimitExceeded'],
  ['instrumentNotFound', 'NOT_FOUND', 'BadSymbol'],
  ['internal', 'INTERNAL', 'ExchangeNotAvailable'],
  ['historyBehind', 'UNAVAILABLE', 'ExchangeNotAvailable'],
];

describe("each of the venue's refusals has its own error class", () => {
  test.each(REFUSALS)('%s (%s) is a %s', async (key, name, expected) => {
    const build = MESSAGES[key] as (...values: string[]) => string;
    const message = build('1', '2', '3');
    const body = { success: false, code: 1, message, name };
    const exchange = offlineExchange('oddlot');
    const asked = resultOf(exchange, { method: 'fetchPositions', input: [], httpResponse: body });
    await expect(asked).rejects.toMatchObject({
      name: expected,
      message: expect.stringContaining(message),
    });
  });

  test("an order entry's error class follows from its message", async () => {
    const error = `orders[0]: ${MESSAGES.postOnlyWouldMatch()}`;
    const entry = {
      i: 0,
      oid: 1,
      cloid: null,
      state: 'rejected',
      filledSz: '0',
      avgPx: null,
      error,
    };
    const data = {
      type: 'PlaceOrder',
      data: { statuses: [{ error, code: 1, name: 'ORDER' }], orders: [entry] },
    };
    const reply = { status: 'ok', code: 0, confirm: 'executed', height: 1, data };
    const input = ['BTC/USDC:USDC', 'limit', 'buy', 0.01, 90_000];
    const asked = resultOf(offlineExchange('oddlot'), {
      method: 'createOrder',
      input,
      httpResponse: reply,
    });
    await expect(asked).rejects.toMatchObject({ name: 'OrderImmediatelyFillable' });
  });
});

describe('the configuration selects the venue, the network and the account', () => {
  test('sandbox mode signs for test funds, and the addresses follow the URL', () => {
    const exchange: Json = new CLASSES.oddlot({ url: `${STATIC_URL}/`, sandbox: true });
    expect(exchange.network).toBe('testnet');
    expect(exchange.urls.api).toEqual({
      public: STATIC_URL,
      private: STATIC_URL,
      ws: { ws: 'wss://venue.example/ws', 'api-ws': 'wss://venue.example/api-ws' },
    });
  });

  test("an address in ccxt's form is used for requests and sockets", () => {
    const exchange: Json = new CLASSES.oddlot({ urls: { api: { public: 'http://other' } } });
    expect(exchange.urls.api).toMatchObject({
      private: 'http://other',
      ws: { ws: 'ws://other/ws' },
    });
  });

  test('the client does not sign for a remote venue unless a network is named', async () => {
    const exchange = offlineExchange('oddlot');
    exchange.network = undefined;
    const asked = exchange.createOrder('BTC/USDC:USDC', 'limit', 'buy', 0.01, 90_000);
    await expect(asked).rejects.toThrow('network name');
  });

  test('if no wallet address is given, the key determines the account', () => {
    const exchange = offlineExchange('oddlot');
    exchange.walletAddress = undefined;
    expect(exchange.link.user({})).toBe(privateKeyWallet(STATIC_KEY as `0x${string}`).address);
  });
});
