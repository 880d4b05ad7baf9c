import { cloidOf, order, type Actor } from '../support/actors.ts';
import { directAction, signDirect, signMultiSig } from '../support/direct.ts';
import type { Market } from '../support/market.ts';
import { definition, groupAction, triggerOrder } from '../support/perps.ts';
import {
  addressOf,
  keyOf,
  nextNonce,
  TESTNET,
  ZERO_ADDRESS,
  type Envelope,
  type JsonObject,
} from '../support/wallet.ts';

/** One valid request of every kind. Mutations start from these requests. */

const HASH = keyOf('some transaction');
export const SAMPLE_ADDRESS = addressOf(keyOf('someone'));
const BUILDER = addressOf(keyOf('builder'));
const SIGNERS = [keyOf('first signer'), keyOf('second signer')] as const;
const TIME = 1_800_000_000_000;

/** Trading actions, signed by the account's key or by an agent's. */
export function tradingActions(market: Market): JsonObject[] {
  const { id } = market;
  const far = { market, side: 'buy', price: market.at(-3000), size: market.worth(20) } as const;
  const stop = { market, side: 'sell', kind: 'sl', at: market.at(-4000), size: '0' } as const;
  return [
    { ...groupAction('na', order(far)), builder: { b: BUILDER, f: 10 } },
    groupAction('na', order({ ...far, cloid: cloidOf('fuzz') }), order({ ...far, tif: 'Alo' })),
    groupAction('na', order({ ...far, tif: 'Gtd', expireTime: TIME })),
    groupAction('na', { ...order({ ...far, tif: 'FrontendMarket' }), m: 'isolated' }),
    groupAction('na', triggerOrder({ ...stop, size: far.size, reduceOnly: false })),
    groupAction('normalTpsl', order(far), triggerOrder({ ...stop, size: far.size })),
    groupAction('positionTpsl', triggerOrder(stop)),
    groupAction('na', { ...order({ ...far, price: '0.5', size: '10' }), a: 100_000 }),
    {
      type: 'cancel',
      cancels: [
        { a: id, o: 1 },
        { a: id, o: 2, grouping: 'tpsl' },
      ],
    },
    { type: 'cancelByCloid', cancels: [{ asset: id, cloid: cloidOf('fuzz') }] },
    { type: 'modify2', a: id, o: 1, p: far.price, s: far.size },
    { type: 'modify2', a: id, c: cloidOf('fuzz'), p: far.price, s: far.size },
    { type: 'updatePositionMode', positionMode: 'hedge' },
    { type: 'updateIsolatedMargin', asset: id, isBuy: true, ntli: 1_000_000 },
    { type: 'updateLeverage', asset: id, leverage: 5, marginMode: 'cross' },
    { type: 'updateMarginMode', asset: id, isCross: false },
    { type: 'claimBuilderRewards' },
    { type: 'outcomeOperate', split: [{ asset: 100_000, sz: '10' }] },
    { type: 'outcomeOperate', merge: [{ asset: 100_000, sz: '10' }] },
    { type: 'scheduleCancel', time: TIME },
    { type: 'cancelAll', asset: id, accountType: 'perp' },
    { type: 'reversePosition', asset: id, isBuy: true },
  ];
}

/** Actions that only configured keys may send. */
export function operatorActions({ id }: Market): JsonObject[] {
  const common = { category: 'x', tags: ['y'], image: null, icon: null };
  const terms = { priceTick: '0.01', sizeDecimals: 2, minOrderSize: '5', maxOrderSize: '1000' };
  const span = { startTime: TIME, endTime: TIME + 3_600_000 };
  const event = { slug: 'an-event', title: 'An event', description: '', ...common };
  const market = { eventSlug: 'an-event', slug: 'a-market', question: 'Is it?', groupTitle: null };
  const texts = { description: '', resolutionSource: '', outcomes: ['Yes', 'No'] };
  const series = { slug: 'btc-1h', title: 'BTC', symbol: 'BTC', recurrence: '1h', source: 'spot' };
  const fees = { takerFeeRate: '0.07', orderDelayMs: 250 };
  const tier = { level: 0, min14dTradingVolume: '0', perpMakerFeeRate: '0', perpTakerFeeRate: '0' };
  const list = { add: [SAMPLE_ADDRESS], remove: [] };
  const variants = [
    { registerPerp: definition({ instrumentId: 77 }) },
    { setPerp: { instrumentId: id, haltTrading: true, markBand: '0.02' } },
    {
      pushOracle: {
        prices: [{ instrumentId: id, oraclePx: '9', externalPerpPx: null }],
        time: TIME,
      },
    },
    { setGate: { channel: 0, mode: 'closed', whitelist: list, grants: { add: [] } } },
    { registerVault: { vault: SAMPLE_ADDRESS, leader: BUILDER, name: 'v', shares: [] } },
    { treasurySend: { destination: SAMPLE_ADDRESS, amount: '1' } },
    { setOperators: { role: 'deployers', add: [SAMPLE_ADDRESS] } },
    { setFeeTiers: { exchangeId: 0, tiers: [tier] } },
  ].map((variant) => ({ type: 'venueAdmin', ...variant }));
  const deployments = [
    { registerEvent: { ...event, mutuallyExclusive: false, ...span } },
    { registerMarket: { ...market, ...texts, ...span, ...terms, ...fees, underlying: null } },
    {
      registerSeries: {
        ...series,
        ...common,
        firstStartTime: TIME,
        listAhead: 2,
        ...terms,
        ...fees,
        enabled: true,
      },
    },
    { setTrading: { instrumentIds: [100_000], state: 'close' } },
    { pushPrice: { prices: [{ symbol: 'BTC', source: 'spot', px: '9', time: TIME }] } },
    { resolve: { instrumentId: 100_000, settlementFraction: '1', evidence: 'x' } },
  ].map((variant) => ({ type: 'outcomeDeploy', ...variant }));
  return [...variants, ...deployments];
}

/** Actions that only the account's own key may sign. */
export function directActions(nonce: number): JsonObject[] {
  const users = [...SIGNERS].map(addressOf).toSorted();
  const signers = JSON.stringify({ authorizedUsers: users, threshold: 2 });
  const money = { amount: '3.5', fromAccountType: 'perp', toAccountType: 'outcome' };
  const fields: Record<string, JsonObject> = {
    approveAgent: { agentAddress: SAMPLE_ADDRESS, agentName: 'désk' },
    approveBuilderFee: { builder: BUILDER, maxFeeRate: '0.05%' },
    revokeBuilderFee: { builder: BUILDER },
    tokenSend: { destination: SAMPLE_ADDRESS, token: 0, ...money },
    withdraw3: { destination: SAMPLE_ADDRESS, amount: '2.5' },
    convertToMultiSigUser: { signers },
  };
  return Object.entries(fields).map(([type, own]) => directAction(type, nonce, own));
}

/**
 * Returns one envelope of every kind, signed by a key without an account. No envelope includes the
 * key's address, because a mutation could copy it into a faucet request.
 */
export async function outsiderEnvelopes(outsider: Actor, market: Market): Promise<Envelope[]> {
  const trading = tradingActions(market);
  const envelopes = [...trading, ...operatorActions(market)].map(async (action) =>
    outsider.sign(action),
  );
  const options = { vaultAddress: SAMPLE_ADDRESS, expiresAfter: TIME };
  envelopes.push(
    outsider.sign(trading[0]!, options),
    outsider.sign(trading[0]!, { expiresAfter: 1 }),
  );
  envelopes.push(outsider.sign(trading[0]!, { vaultAddress: null, expiresAfter: null }));
  const nonce = nextNonce();
  const direct = directActions(nonce);
  envelopes.push(...direct.map(async (action) => signDirect(outsider.key, action, { nonce })));
  const chain = { nonce, signatureChainId: 1 };
  envelopes.push(signDirect(outsider.key, direct[0]!, chain));
  const [outerKey] = SIGNERS;
  const wrapping = { nonce, multiSigUser: SAMPLE_ADDRESS, outerKey, innerKeys: SIGNERS };
  for (const inner of [trading[0]!, direct[0]!, direct.at(-1)!]) {
    envelopes.push(signMultiSig(inner, wrapping));
  }
  const signed = await Promise.all(envelopes);
  const { envelope: approval } = await signDirect(outsider.key, direct[0]!, { nonce });
  signed.push({ ...signed[0]!, envelope: { ...approval, expiresAfter: TIME } });
  return signed.map(({ envelope }, index) =>
    index % 3 === 0 ? { ...envelope, confirm: 'executed' } : envelope,
  );
}

export function queries(
  users: readonly string[],
  market: Market,
  envelope: Envelope,
): JsonObject[] {
  const { coin } = market;
  const span = { startTime: TIME - 3_600_000, endTime: TIME };
  const page = { ...span, page: 0, pageSize: 10 };
  const instrumentIds = [100_000, 100_001];
  const permit = { usd: '5000000', deadline: '1800000000', signature: envelope.signature };
  const ofUser = (user: string): JsonObject[] => [
    { type: 'clearinghouseState', user, accountType: 'perp', exchangeId: 0 },
    { type: 'perpClearinghouseState', user },
    { type: 'outcomePositions', user, instrumentIds },
    { type: 'txs', user, ...span, limit: 5 },
    { type: 'triggerOrders', user, asset: coin },
    { type: 'activeAssetData', user, coin },
    { type: 'activeAssetData', user, coin, px: ['100.5', null] },
    { type: 'frontendOpenOrders', user, accountType: ['perp', 'outcome'], coin },
    { type: 'outcomeFrontendOpenOrders', user, instrumentIds },
    { type: 'approvedAgents', user },
    { type: 'agentOwner', agent: user },
    { type: 'accessCodeStatus', user, channel: 1 },
    { type: 'approvedBuilders', user },
    { type: 'multiSigSigners', user },
    { type: 'multiSigChanges', user },
    { type: 'userFills', user, accountType: 'perp', coin, ...span, limit: 10, offset: 0 },
    { type: 'historicalOrders', user, accountType: ['perps'], ...span, limit: 10 },
    {
      type: 'userNonFundingLedgerUpdates',
      user,
      accountTypes: ['perp'],
      ...span,
      limit: 3,
      offset: 1,
    },
    { type: 'userFundings', user, contract: 'all', startTimeMs: 1, fundingType: 'paid', limit: 5 },
    { type: 'feeTierRates', user, exchange_id: 0 },
    { type: 'builderState', user },
    { type: 'builderMeClaimed', user, ...page },
    { type: 'builderMeEarned', user, ...page },
    { type: 'builderMeShare', user, dimension: 'instrument', window: '30d' },
    { type: 'builderMeClaimable', user },
    { type: 'actionStatus', signer: user, nonce: envelope.nonce },
    { type: 'depositWithPermit', user, ...permit, waitForReceipt: false },
    { type: 'reservesProof', user },
    { type: 'portfolio', user, window: 'day' },
    { type: 'executionReport', user, oid: 1 },
    { type: 'withdrawals', user, before: 10, limit: 5 },
  ];
  // A simulation reaches the trading rules without needing a signature.
  const [user] = users;
  const simulations = [...tradingActions(market), ...directActions(envelope.nonce)].map(
    (action) => ({ type: 'simulate', user, action, vaultAddress: null }),
  );
  return [
    ...users.flatMap(ofUser),
    ...simulations,
    { type: 'reserves' },
    { type: 'perpMeta', dex: '' },
    { type: 'perpMetaDetail', assetName: 'BTC' },
    { type: 'l2Book', coin, tick: '' },
    { type: 'candleSnapshot', req: { coin, interval: '1m', ...span } },
    { type: 'candleSnapshot', req: { coin: '1', interval: '1m', price: 'mark', ...span } },
    { type: 'fundingHistory', coin, ...span },
    { type: 'openInterestHistory', coin, ...span },
    { type: 'liquidations', coin, ...span, limit: 5 },
    { type: 'largestTrades', accountType: ['perp', 'outcome'], window: 'month', limit: 5 },
    { type: 'leaderboard', window: 'all', sortBy: 'volume', limit: 5 },
    { type: 'outcomeHolders', instrumentId: 100_000, outcome: 'No', limit: 5 },
    { type: 'outcomeMeta', limit: 5, sortBy: 'newest', sortOrder: 'asc', marketSlugs: ['a'] },
    { type: 'outcomeAssetCtxs', instrumentIds, exchangeId: 1 },
    { type: 'outcomeProbability', instrumentIds, interval: '1d', fidelity: 5 },
    { type: 'outcomeSeriesTimeline', seriesSlug: 'btc-1h', limit: 5, before: TIME },
    { type: 'outcomeResolution', instrumentId: 100_000 },
    { type: 'cryptoPrice', symbol: 'BTC', eventStartTime: TIME, variant: '1h', source: 'spot' },
    { type: 'cryptoPriceHistory', symbol: 'BTC', ...span, source: 'twap', variant: 'before' },
    { type: 'feeTierInfo', exchange_id: 0 },
    { type: 'settings' },
    { type: 'rateLimit' },
    { type: 'venueStatus' },
    { type: 'venueHealth' },
    { type: 'gateLists', channel: 1 },
    { type: 'actionStatus', txHash: HASH },
    { type: 'actionStatus', traceId: '2af35491-d06c-4576-8cb8-ec69d3ff3b69' },
    { type: 'explainSignature', envelope, expect: SAMPLE_ADDRESS },
    { type: 'blocks', before: 10, limit: 5 },
    { type: 'block', height: 3 },
    { type: 'tx', txHash: HASH },
    { type: 'txs', limit: 5 },
    { type: 'stateHash', height: 2 },
  ];
}

/** Returns requests for the endpoints other than /info and /exchange. */
export function serviceRequests(users: readonly string[]): [path: string, body: JsonObject][] {
  return [...users, ZERO_ADDRESS].flatMap((user): [string, JsonObject][] => [
    ['/account-status', { type: 'accountStatus', user, channel: 1 }],
    ['/account', { type: 'accountStatus', user }],
    ['/request-fund', { user, accountType: 'outcome' }],
    ['/request-fund', { user, ...TESTNET }],
  ]);
}
