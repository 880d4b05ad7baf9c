import { describe, expect, test } from 'vitest';
import { INFO_QUERIES, parseInfo } from './registry.ts';
import { parseServiceRequest } from './service-requests.ts';

const user = `0x${'AB'.repeat(20)}`;
const lower = user.toLowerCase();

/** All query types in the API, sorted. */
const TYPES = [
  'accessCodeStatus',
  'actionStatus',
  'activeAssetData',
  'agentOwner',
  'approvedAgents',
  'approvedBuilders',
  'block',
  'blocks',
  'builderMeClaimable',
  'builderMeClaimed',
  'builderMeEarned',
  'builderMeShare',
  'builderState',
  'candleSnapshot',
  'clearinghouseState',
  'cryptoPrice',
  'cryptoPriceHistory',
  'depositWithPermit',
  'executionReport',
  'explainSignature',
  'feeTierInfo',
  'feeTierRates',
  'frontendOpenOrders',
  'fundingHistory',
  'gateLists',
  'historicalOrders',
  'l2Book',
  'largestTrades',
  'leaderboard',
  'liquidations',
  'multiSigChanges',
  'multiSigSigners',
  'openInterestHistory',
  'outcomeAssetCtxs',
  'outcomeFrontendOpenOrders',
  'outcomeHolders',
  'outcomeMeta',
  'outcomePositions',
  'outcomeProbability',
  'outcomeResolution',
  'outcomeSeriesTimeline',
  'perpClearinghouseState',
  'perpMeta',
  'perpMetaDetail',
  'portfolio',
  'rateLimit',
  'reserves',
  'reservesProof',
  'settings',
  'simulate',
  'stateHash',
  'triggerOrders',
  'tx',
  'txs',
  'userFills',
  'userFundings',
  'userNonFundingLedgerUpdates',
  'venueHealth',
  'venueStatus',
  'withdrawals',
];

function query(value: unknown): unknown {
  const parsed = parseInfo(value);
  return parsed.ok
    ? parsed.query
    : `${parsed.error.httpStatus} ${parsed.error.code} ${parsed.error.message}`;
}

describe('an invalid /info query is rejected', () => {
  test.each<[unknown, string]>([
    [7, '400 10002 The body is not a JSON object'],
    [{}, '400 10002 Missing field: type'],
    [{ type: 5 }, '400 10002 Wrong type for type'],
    [{ type: 'nope' }, '403 10001 This action is not allowed.'],
    [{ type: 'constructor' }, '403 10001 This action is not allowed.'],
    [{ type: 'l2Book' }, '400 10002 Missing field: coin'],
    [{ type: 'l2Book', coin: 'BTC' }, '400 10002 Wrong type for coin'],
    [{ type: 'l2Book', coin: 1 }, '400 10002 Wrong type for coin'],
    [{ type: 'l2Book', coin: '1', tick: 'x' }, '400 10002 Wrong type for tick'],
    [{ type: 'clearinghouseState' }, '400 10002 Missing field: user'],
    [{ type: 'clearinghouseState', user: '0x1' }, '400 10002 Wrong type for user'],
    [{ type: 'agentOwner' }, '400 10002 Missing field: agent'],
    [
      { type: 'outcomeFrontendOpenOrders', user, exchangeId: 1 },
      '400 10002 exchangeId is not accepted',
    ],
    [
      { type: 'outcomeAssetCtxs', instrumentIds: [] },
      '400 10002 instrumentIds must hold 1 to 50 entries',
    ],
    [{ type: 'userFundings', user, limit: 0 }, '200 10000 Invalid limit'],
    [{ type: 'userFundings', user, limit: '5' }, '400 10002 Wrong type for limit'],
    [{ type: 'userFundings', user, offset: -1 }, '200 10000 Invalid offset'],
    [{ type: 'userFundings', user, offset: 200001 }, '200 10000 Invalid offset'],
    [
      { type: 'userFundings', user, coin: 'BTC', contract: 'all' },
      '200 10000 contract is not allowed with coin',
    ],
    [
      { type: 'outcomeMeta', sortBy: 'endingSoon', sortOrder: 'asc' },
      '200 10000 sortOrder is not allowed with endingSoon',
    ],
    [
      { type: 'builderMeEarned', user, page: 100, pageSize: 100 },
      '200 10000 Result window is too large',
    ],
    [{ type: 'candleSnapshot', coin: '1', startTime: 0 }, '400 10002 Missing field: interval'],
    [
      { type: 'candleSnapshot', req: { coin: '1', interval: '7m', startTime: 0 } },
      '400 10002 Wrong type for interval',
    ],
    [{ type: 'actionStatus' }, '400 10002 Missing field: txHash'],
    [{ type: 'actionStatus', signer: user }, '400 10002 Missing field: nonce'],
    [{ type: 'actionStatus', txHash: '0x12' }, '400 10002 Wrong type for txHash'],
    [{ type: 'block' }, '400 10002 Missing field: height'],
    [{ type: 'tx' }, '400 10002 Missing field: txHash'],
    [{ type: 'tx', txHash: '0x12' }, '400 10002 Wrong type for txHash'],
    [{ type: 'userFills', user, cursor: 'x', offset: 1 }, '200 10000 Invalid offset'],
    [{ type: 'builderMeClaimed', user, cursor: 'x', page: 1 }, '200 10000 Invalid offset'],
    [{ type: 'userFills', user, minHeight: -1 }, '400 10002 Wrong type for minHeight'],
    [{ type: 'portfolio', user, window: 'year' }, '400 10002 Wrong type for window'],
    [{ type: 'withdrawals', user, limit: 0 }, '200 10000 Invalid limit'],
    [{ type: 'liquidations', coin: 'BTC-USDC' }, '400 10002 Wrong type for coin'],
    [{ type: 'liquidations', limit: 0 }, '200 10000 Invalid limit'],
    [{ type: 'largestTrades', window: 'year' }, '400 10002 Wrong type for window'],
    [{ type: 'leaderboard', sortBy: 'roi' }, '400 10002 Wrong type for sortBy'],
    [{ type: 'leaderboard', limit: 0 }, '200 10000 Invalid limit'],
    [{ type: 'openInterestHistory', coin: '1' }, '400 10002 Missing field: startTime'],
    [{ type: 'outcomeHolders', instrumentId: '1' }, '400 10002 Wrong type for instrumentId'],
    [
      { type: 'outcomeHolders', instrumentId: 1, outcome: 'Maybe' },
      '400 10002 Wrong type for outcome',
    ],
    [{ type: 'historicalOrders', user, coin: 'BTC' }, '400 10002 Wrong type for coin'],
    [{ type: 'simulate', user }, '400 10002 Missing field: action'],
    [{ type: 'reservesProof' }, '400 10002 Missing field: user'],
    [{ type: 'reservesProof', user: '0x12' }, '400 10002 Wrong type for user'],
    [
      { type: 'depositWithPermit', user, usd: 5, deadline: '1', signature: {} },
      '400 10002 Wrong type for usd',
    ],
  ])('the query %j is rejected', (value, expected) => {
    expect(query(value)).toBe(expected);
  });
});

describe('a valid /info query is accepted', () => {
  test.each<[object, object]>([
    [
      { type: 'l2Book', coin: '007', tick: '' },
      { type: 'l2Book', coin: '7' },
    ],
    [
      { type: 'clearinghouseState', user },
      { user: lower, accountType: 'perp' },
    ],
    [{ type: 'agentOwner', user }, { agent: lower }],
    [
      { type: 'userFills', user },
      { accountType: ['perp'], limit: 200, offset: 0 },
    ],
    [{ type: 'userFills', user, accountType: 'outcome' }, { accountType: ['outcome'] }],
    [{ type: 'userNonFundingLedgerUpdates', user }, { accountTypes: ['perp', 'outcome'] }],
    [
      { type: 'userFundings', user, startTimeMs: 1, endTime: 2, direction: 'Paid' },
      { startTime: 1, endTime: 2, fundingType: 'paid', limit: 300 },
    ],
    [{ type: 'feeTierInfo', exchange_id: 1 }, { exchangeId: 1 }],
    [{ type: 'feeTierRates', user }, { exchangeId: 0 }],
    [
      { type: 'outcomeMeta', after_cursor: 'x' },
      { cursor: 'x', status: 'open', limit: 20 },
    ],
    [
      { type: 'outcomeMeta', eventSlug: 'x' },
      { status: 'all', markets: 'matched' },
    ],
    [
      { type: 'candleSnapshot', coin: '1', interval: '1M', startTime: 5 },
      { req: { coin: '1', interval: '1M', startTime: 5 } },
    ],
    [
      { type: 'cryptoPrice', symbol: 'BTC', eventStartTime: '2026-01-01T00:00:00Z' },
      { eventStartTime: 1767225600000, source: 'oracle' },
    ],
    [
      { type: 'actionStatus', signer: user, nonce: 5 },
      { by: 'nonce', signer: lower, nonce: 5 },
    ],
    [{ type: 'tx', hash: `0x${'AB'.repeat(32)}` }, { txHash: `0x${'ab'.repeat(32)}` }],
    [{ type: 'block', height: 3 }, { height: 3 }],
    [
      { type: 'block', height: 3, hash: `0x${'AB'.repeat(32)}`, minHeight: 2 },
      { height: 3, minHeight: 2 },
    ],
    [{ type: 'portfolio', user, window: 'ALL' }, { window: 'all' }],
    [{ type: 'largestTrades' }, { accountType: ['perp'], window: 'day', limit: 20 }],
    [{ type: 'leaderboard' }, { window: 'week', sortBy: 'pnl', limit: 50 }],
    [
      { type: 'leaderboard', sortBy: 'VOLUME', limit: 900 },
      { sortBy: 'volume', limit: 100 },
    ],
    [{ type: 'liquidations', limit: 900 }, { limit: 200 }],
    [
      { type: 'outcomeHolders', instrumentId: 7, outcome: 'NO' },
      { outcome: 'No', limit: 20 },
    ],
    [
      { type: 'withdrawals', user, before: 7 },
      { before: 7, limit: 50 },
    ],
    [
      { type: 'userFills', user, cursor: null, offset: 3 },
      { cursor: null, offset: 3 },
    ],
    [{ type: 'perpMeta', dex: '', extra: 1 }, { type: 'perpMeta' }],
    [{ type: 'triggerOrders', user, asset: null }, { asset: null }],
    [
      { type: 'builderMeShare', user },
      { dimension: 'user', window: '7d' },
    ],
  ])('the query %j is accepted and normalised', (value, expected) => {
    expect(query(value)).toMatchObject(expected);
  });

  test('a limit above the maximum is lowered and reported', () => {
    expect(parseInfo({ type: 'outcomeMeta', limit: 80 })).toMatchObject({
      query: { limit: 50 },
      clamped: { from: 80, to: 50 },
    });
    expect(parseInfo({ type: 'builderMeEarned', user, pageSize: 500 })).toMatchObject({
      query: { pageSize: 100 },
      clamped: { from: 500, to: 100 },
    });
    expect(parseInfo({ type: 'outcomeMeta', limit: 50 })).not.toHaveProperty('clamped');
  });
});

test('every query type in the API has a definition', () => {
  expect(Object.keys(INFO_QUERIES).sort()).toEqual(TYPES);
});

test('request bodies for the other endpoints are checked and parsed with defaults', () => {
  const status = parseServiceRequest('accountStatus', { type: 'accountStatus', user });
  expect(status).toEqual({ ok: true, request: { type: 'accountStatus', user: lower, channel: 0 } });
  expect(parseServiceRequest('accountStatus', { type: 'accountStatus', user: '0x' })).toMatchObject(
    {
      error: { httpStatus: 400, message: 'Wrong type for user' },
    },
  );
  expect(parseServiceRequest('requestFund', { user })).toMatchObject({
    request: { accountType: 'perp' },
  });
});
