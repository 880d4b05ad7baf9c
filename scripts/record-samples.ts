import { buyYes, limitOrder, sellYes, signPermit, triggerOrder, type ReplyOf } from '@oddlot/sdk';
import { startVenue, type TestAccount, type TestVenue } from '@oddlot/testkit';
import { NAMES, Recorder, type Json, type People, type Samples, type Stage } from './samples.ts';

const RESERVES_EVERY_MS = 3_600_000;

/**
 * Sends every action, query and subscription to a venue with fixed keys, prices and times, and
 * returns the requests with their responses.
 */
export async function recordSamples(): Promise<Samples> {
  const flags = ['--faucet', '--reserves-every-ms', String(RESERVES_EVERY_MS)];
  const venue = await startVenue({ seed: 'samples', accounts: 0, chain: true, flags });
  const recorder = new Recorder(venue);
  try {
    const stage = { venue, recorder, people: await peopleOf(venue) };
    const traces = await act(stage);
    await query(stage, traces);
    await follow(stage, traces);
    const { actions, channels, queries, services } = recorder;
    return { actions, channels, queries, services };
  } finally {
    recorder.close();
    await venue.stop();
  }
}

async function peopleOf(venue: TestVenue): Promise<People> {
  const money = { perp: '100000', outcome: '1000' };
  const accounts: [string, TestAccount][] = [];
  for (const name of NAMES) accounts.push([name, await venue.account(name, money)]);
  return Object.fromEntries(accounts) as People;
}

/** Ids of the perps that the venue lists when it starts. */
const BTC = 1;
const ETH = 2;
const SOL = 3;

const confirm = { confirm: 'executed' } as const;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const CLOID = '0x00000000000000000000000000000001';

/** Ids and names that the queries need. */
type Traces = {
  /**
   * Three outcome markets: one with shares and orders, one with an order delay, and one that is
   * resolved.
   */
  readonly market: number;
  readonly delayed: number;
  readonly resolved: number;
  readonly seriesSlug: string;
  readonly agent: string;
  readonly group: string;
  /** A taker order of the first account. */
  readonly oid: number;
  readonly txHash: string;
};

const TERMS = {
  priceTick: '0.01',
  sizeDecimals: 2,
  minOrderSize: '5',
  maxOrderSize: '100000',
  takerFeeRate: '0.07',
};

async function act(stage: Stage): Promise<Traces> {
  await operatePerps(stage);
  const listed = await operateOutcomes(stage);
  const traded = await trade(stage);
  await tradeShares(stage, listed);
  const group = await shareAccount(stage);
  await leadVault(stage);
  await bridge(stage);
  await liquidate(stage);
  return { ...listed, ...traded, group };
}

async function operatePerps({ people, recorder, venue }: Stage): Promise<void> {
  const { alice, bob, dave } = people;
  const as = (label: string) => recorder.exchangeOf(venue.admin.wallet, label).venueAdmin;
  const tiers = [
    { tier: 1, minSize: '0', maxSize: '1000', maxLeverage: 20, mmr: '0.025' },
    { tier: 2, minSize: '1000', maxSize: '5000', maxLeverage: 10, mmr: '0.045' },
  ];
  const { created } = await done(
    as('registerPerp').registerPerp(
      {
        name: 'AVAX-USDC',
        baseCurrency: 'AVAX',
        quoteCurrency: 'USDC',
        perpType: 'linear',
        szDecimals: 2,
        priceTick: '0.01',
        bookTicks: ['0.01', '0.1', '1'],
        maxLimitOrderSize: '2000',
        maxMarketOrderSize: '1000',
        takerFeeRate: '0.00045',
        makerFeeRate: '0.00015',
        onlyIsolated: false,
        impactNotional: '1000',
        marginTable: { tiers },
      },
      confirm,
    ),
  );
  const instrumentId = created!.instrumentId!;
  await done(as('setPerp').setPerp({ instrumentId, haltTrading: true }, confirm));
  const price = { instrumentId, oraclePx: '20', externalPerpPx: null };
  await done(as('pushOracle').pushOracle({ prices: [price], time: venue.now }, confirm));
  const tier = { perpMakerFeeRate: '0.00015', perpTakerFeeRate: '0.00045' };
  const lower = { perpMakerFeeRate: '0.0001', perpTakerFeeRate: '0.0004' };
  const feeTiers = [
    { level: 0, min14dTradingVolume: '0', ...tier },
    { level: 1, min14dTradingVolume: '5000000', ...lower },
  ];
  await done(as('setFeeTiers').setFeeTiers({ exchangeId: 0, tiers: feeTiers }, confirm));
  const gate = {
    channel: 0,
    mode: 'open',
    whitelist: { add: [alice.address] },
    blacklist: { add: [dave.address] },
    accessCodes: { add: [{ code: 'WELCOME2026', maxUses: 100 }] },
    grants: { add: [{ user: bob.address, code: 'WELCOME2026' }] },
  } as const;
  await done(as('setGate').setGate(gate as never, confirm));
  const operators = { role: 'deployers', add: [alice.address] } as const;
  await done(as('setOperators').setOperators(operators as never, confirm));
}

async function operateOutcomes(stage: Stage) {
  const { recorder, venue } = stage;
  const as = (label: string) => recorder.exchangeOf(venue.admin.wallet, label).outcomeDeploy;
  const { now } = venue;
  const texts = { category: 'weather', tags: ['rain'], image: null, icon: null };
  const span = { startTime: now - MINUTE_MS, endTime: now + DAY_MS };
  const event = {
    slug: 'rain',
    title: 'Rain in Paris',
    description: 'Rain of at least 1 mm.',
    ...texts,
    mutuallyExclusive: false,
    ...span,
  };
  await done(as('registerEvent').registerEvent(event, confirm));
  const market = (slug: string, orderDelayMs: number) => ({
    eventSlug: 'rain',
    slug,
    question: `Will it rain in Paris on ${slug}?`,
    groupTitle: slug,
    description: '',
    resolutionSource: 'weather service',
    outcomes: ['Yes', 'No'] as [string, string],
    ...span,
    ...TERMS,
    orderDelayMs,
    underlying: null,
  });
  const list = async (slug: string, orderDelayMs: number): Promise<number> => {
    const listing = market(slug, orderDelayMs);
    const deploy = as('registerMarket');
    const { created } = await done(deploy.registerMarket(listing, confirm));
    return created!.instrumentId!;
  };
  const ids = {
    market: await list('friday', 0),
    delayed: await list('saturday', 250),
    resolved: await list('sunday', 0),
  };
  const seriesSlug = await operateSeries(stage);
  const { resolved: instrumentId } = ids;
  const close = { instrumentIds: [instrumentId], state: 'close' } as const;
  await done(as('setTrading').setTrading(close as never, confirm));
  const result = { instrumentId, settlementFraction: '1', evidence: 'Rain gauge: 4 mm' };
  await done(as('resolve').resolve(result, confirm));
  return { ...ids, seriesSlug };
}

async function operateSeries({ recorder, venue }: Stage): Promise<string> {
  const as = (label: string) => recorder.exchangeOf(venue.admin.wallet, label).outcomeDeploy;
  const { now } = venue;
  const series = {
    slug: 'btc-15m',
    title: 'BTC up or down',
    symbol: 'BTC',
    recurrence: '15m',
    source: 'oracle',
    category: 'crypto',
    tags: ['btc'],
    image: null,
    icon: null,
    firstStartTime: now - (now % (15 * MINUTE_MS)),
    listAhead: 2,
    ...TERMS,
    orderDelayMs: 250,
    enabled: true,
  } as const;
  await done(as('registerSeries').registerSeries(series as never, confirm));
  const push = { symbol: 'BTC', source: 'oracle', px: '97000', time: now } as const;
  await as('pushPrice').pushPrice({ prices: [push] }, confirm);
  return series.slug;
}

async function trade({ people, recorder, venue }: Stage) {
  const { alice, bob, carol } = people;
  const exchange = recorder.exchangeOf(alice.wallet);
  const key = await venue.account('agent', {});
  await done(exchange.approveAgent({ agentAddress: key.address, agentName: 'bot' }, confirm));
  const agent = recorder.exchangeOf(key.wallet);
  const approval = { builder: carol.address, maxFeeRate: '0.05%' };
  await done(exchange.approveBuilderFee(approval, confirm));

  await done(agent.updatePositionMode({ positionMode: 'oneWay' }, confirm));
  await done(agent.updateMarginMode({ asset: SOL, isCross: false }, confirm));
  await done(agent.updateLeverage({ asset: SOL, leverage: 10, marginMode: 'isolated' }, confirm));

  const maker = venue.client(bob.wallet).exchange;
  const ask = (asset: number, price: string, size: string) =>
    limitOrder({ asset, side: 'sell', price, size });
  const bid = (asset: number, price: string, size: string) =>
    limitOrder({ asset, side: 'buy', price, size });
  const quotes = [
    ask(BTC, '97001', '2'),
    ask(BTC, '97002', '3'),
    bid(BTC, '96999', '2'),
    bid(BTC, '96998', '3'),
    ask(SOL, '180.1', '200'),
    bid(SOL, '179.9', '200'),
    ask(ETH, '3401', '5'),
    bid(ETH, '3399', '5'),
  ];
  await done(maker.order({ orders: quotes }, confirm));
  const order = limitOrder({ asset: BTC, side: 'buy', price: '97001', size: '0.5', cloid: CLOID });
  const builder = { b: carol.address, f: 10 };
  const bought = await done(agent.order({ orders: [order], builder }, confirm));
  const { oid } = bought.orders[0]!;

  // These orders are the targets of modify2 and of the three cancels.
  const second = '0x00000000000000000000000000000002';
  const resting = [
    { ...bid(BTC, '90000', '0.1'), c: second },
    bid(BTC, '89000', '0.1'),
    bid(BTC, '88000', '0.1'),
  ];
  const { orders } = await done(agent.order({ orders: resting }, confirm));
  const amend = { a: BTC, o: orders[1]!.oid!, p: '89500', s: '0.2' };
  await done(agent.modify2(amend, confirm));
  await done(agent.cancel({ cancels: [{ a: BTC, o: orders[1]!.oid! }] }, confirm));
  await done(agent.cancelByCloid({ cancels: [{ asset: BTC, cloid: second }] }, confirm));
  await done(agent.scheduleCancel({ time: venue.now + HOUR_MS }, confirm));
  await done(agent.cancelAll({ asset: BTC, accountType: 'perp' } as never, confirm));
  await done(agent.scheduleCancel({}, confirm));

  await done(agent.order({ orders: [bid(SOL, '180.1', '20')] }, confirm));
  await done(agent.updateIsolatedMargin({ asset: SOL, isBuy: true, ntli: 5_000_000 }, confirm));
  await done(agent.reversePosition({ asset: SOL }, confirm));

  // A resting order, a trigger order, and TP/SL orders for the position are placed, so that queries
  // show them.
  const trigger = { asset: ETH, side: 'sell', size: '1', reduceOnly: false } as const;
  const stop = triggerOrder({ ...trigger, kind: 'sl', triggerPrice: '3000' });
  await done(agent.order({ orders: [bid(BTC, '90000', '0.1'), stop] }, confirm));
  const pair = [
    triggerOrder({ asset: BTC, side: 'sell', size: '0', kind: 'tp', triggerPrice: '120000' }),
    triggerOrder({ asset: BTC, side: 'sell', size: '0', kind: 'sl', triggerPrice: '80000' }),
  ];
  await done(agent.order({ grouping: 'positionTpsl', orders: pair } as never, confirm));

  await done(recorder.exchangeOf(carol.wallet).claimBuilderRewards(confirm));
  const again = { ...bid(BTC, '97001', '0.1') };
  await done(agent.order({ orders: [again], builder }, confirm));
  return { agent: key.address, oid: oid!, txHash: bought.txHash };
}

async function tradeShares(
  { people, recorder, venue }: Stage,
  { market: asset }: { readonly market: number },
): Promise<void> {
  const { alice, bob } = people;
  const [exchange, maker] = [recorder.exchangeOf(alice.wallet), venue.client(bob.wallet).exchange];
  await done(exchange.outcomeOperate({ split: [{ asset, sz: '50' }] }, confirm));
  await done(exchange.outcomeOperate({ merge: [{ asset, sz: '10' }] }, confirm));
  const quotes = [
    buyYes({ asset, price: '0.55', size: '100' }),
    { ...buyYes({ asset, price: '0.4', size: '100' }), b: false },
  ];
  await done(maker.order({ orders: quotes }, confirm));
  const orders = [
    buyYes({ asset, price: '0.6', size: '20' }),
    sellYes({ asset, price: '0.9', size: '10' }),
  ];
  await done(exchange.order({ orders }, confirm));
}

async function shareAccount({ recorder, venue }: Stage): Promise<string> {
  const money = { perp: '1000' };
  const group = await venue.account('group', money);
  const [first, second] = [
    await venue.account('first', money),
    await venue.account('second', money),
  ];
  const authorizedUsers = [first.address, second.address];
  const signers = { authorizedUsers, threshold: 2 };
  await done(recorder.exchangeOf(group.wallet).convertToMultiSigUser({ signers }, confirm));
  const { multiSig } = recorder.exchangeOf(first.wallet);
  const action = { type: 'cancelAll' } as never;
  const proposal = await multiSig.propose({ multiSigUser: group.address, action });
  const others = [first, second].map(({ wallet }) => recorder.exchangeOf(wallet).multiSig);
  const signatures = await Promise.all(others.map((each) => each.sign(proposal)));
  await done(multiSig.send(proposal, signatures, confirm));
  return group.address;
}

async function leadVault({ people, recorder, venue }: Stage): Promise<void> {
  const { alice } = people;
  const vault = await venue.account('vault', { perp: '1000' });
  const shares = [{ user: alice.address, shares: '1' }];
  const fields = { vault: vault.address, leader: alice.address, name: 'Calm', shares };
  const { venueAdmin } = recorder.exchangeOf(venue.admin.wallet, 'registerVault');
  await done(venueAdmin.registerVault(fields as never, confirm));
}

/** Makes transfers, a deposit with a permit, and a withdrawal. */
async function bridge({ people, recorder, venue }: Stage): Promise<void> {
  const { alice, bob, carol } = people;
  const exchange = recorder.exchangeOf(alice.wallet);
  await done(exchange.sendTo({ destination: bob.address, amount: '12.5' }, confirm));
  const settings = await alice.client.info.settings();
  const { insurance_fund_address: fund } = settings;
  await done(exchange.revokeBuilderFee({ builder: carol.address }, confirm));
  const approval = { builder: bob.address, maxFeeRate: '0.02%' };
  await done(exchange.approveBuilderFee(approval, confirm));

  await venue.chain.mint(alice.address, '100');
  await venue.deposit(alice, '20');
  const deadline = Math.floor(venue.now / 1000) + 3_600;
  const permit = await signPermit(alice.wallet, { settings, usd: 5_000_000, nonce: 0, deadline });
  const { info } = alice.client;
  const deposits = async () => {
    const rows = await info.userNonFundingLedgerUpdates({ user: alice.address });
    return rows.filter(({ delta }) => delta.type === 'deposit').length;
  };
  await recorder.ask({ type: 'depositWithPermit', ...permit });
  await venue.chain.until(async () => (await deposits()) === 2, 'the permit is credited');
  const payout = { destination: alice.address, amount: '5' };
  await done(exchange.withdraw3(payout, confirm));
  const isPaid = async () =>
    (await info.withdrawals({ user: alice.address }))[0]?.status === 'confirmed';
  await venue.chain.until(isPaid, 'the withdrawal is paid');

  // The treasury pays only while the fund is at its target.
  const { insuranceTarget } = await alice.client.info.venueStatus();
  await venue.fund(carol.address, { perp: insuranceTarget });
  const gift = { destination: fund, amount: insuranceTarget };
  await done(venue.client(carol.wallet).exchange.sendTo(gift, confirm));
  const { venueAdmin } = recorder.exchangeOf(venue.admin.wallet, 'treasurySend');
  await done(venueAdmin.treasurySend({ destination: bob.address, amount: '1' }, confirm));
}

/** Opens a position at maximum leverage and moves the price until it is liquidated. */
async function liquidate({ people, venue }: Stage): Promise<void> {
  const { bob } = people;
  const risky = await venue.account('erin', {});
  const { exchange } = venue.client(risky.wallet);
  await done(exchange.updateLeverage({ asset: ETH, leverage: 50 }, confirm));
  const poor = { destination: bob.address, amount: '99900' };
  await done(exchange.sendTo(poor, confirm));
  const order = limitOrder({ asset: ETH, side: 'buy', price: '3401', size: '1.4' });
  await done(exchange.order({ orders: [order] }, confirm));
  await venue.setPrice('ETH', '3340');
  await venue.advance('10s');
  await venue.setPrice('ETH', '3400');
}

/**
 * Returns the results of an executed action. Any other reply, or a failure in the results, stops
 * the recording.
 */
async function done(sent: Promise<ReplyOf<'executed'>>) {
  const reply = await sent;
  if (reply.status === 'executed' && reply.failure === undefined) return reply;
  throw new Error(`Not executed: ${JSON.stringify(reply)}`);
}

const ASK_HOUR_MS = 3_600_000;
const coin = String(BTC);

async function query(stage: Stage, traces: Traces): Promise<void> {
  const { people, recorder, venue } = stage;
  const { alice, carol } = people;
  const startTime = venue.now - ASK_HOUR_MS;
  await venue.advance('3h', { step: '1m' });
  const isPublished = async () => (await alice.client.info.reserves()).published !== null;
  await venue.chain.until(isPublished, 'reserves are published');
  await venue.settled();
  const user = alice.address;
  await recorder.serve('/account-status', { type: 'accountStatus', user, channel: 0 });
  await recorder.serve('/request-fund', { user, accountType: 'perp' });

  const about = (type: string, fields: Record<string, Json> = {}) =>
    recorder.ask({ type, user, ...fields });
  await askOfMarkets(stage, startTime);
  await askOfOutcomes(stage, traces);
  await about('clearinghouseState', { accountType: 'perp' });
  await recorder.ask({ type: 'perpClearinghouseState', user: carol.address });
  await about('outcomePositions');
  await about('activeAssetData', { coin, px: ['97001', null] });
  await about('frontendOpenOrders');
  await about('outcomeFrontendOpenOrders');
  await about('triggerOrders');
  await about('approvedAgents');
  await recorder.ask({ type: 'agentOwner', agent: traces.agent });
  await about('approvedBuilders');
  await about('accessCodeStatus', { channel: 0 });
  await about('feeTierRates');
  const builder = carol.address;
  await recorder.ask({ type: 'builderState', user: builder });
  await recorder.ask({ type: 'multiSigSigners', user: traces.group });
  await recorder.ask({ type: 'multiSigChanges', user: traces.group });
  await about('userFills', { limit: 2 });
  await about('historicalOrders', { limit: 2 });
  await about('executionReport', { oid: traces.oid });
  await about('userFundings', { limit: 2 });
  await about('userNonFundingLedgerUpdates', { limit: 2 });
  await about('portfolio', { window: 'all' });
  await about('withdrawals');
  for (const type of ['builderMeEarned', 'builderMeClaimed', 'builderMeClaimable']) {
    await recorder.ask({ type, user: builder });
  }
  await recorder.ask({ type: 'builderMeShare', user: builder, dimension: 'instrument' });
  await askOfVenue(stage, traces);
}

async function askOfMarkets({ recorder }: Stage, startTime: number): Promise<void> {
  await recorder.ask({ type: 'perpMeta' });
  await recorder.ask({ type: 'perpMetaDetail', assetName: 'BTC' });
  await recorder.ask({ type: 'l2Book', coin, tick: '1' });
  await recorder.ask({ type: 'candleSnapshot', req: { coin, interval: '15m', startTime } });
  await recorder.ask({ type: 'fundingHistory', coin, startTime });
  await recorder.ask({ type: 'openInterestHistory', coin, startTime });
  await recorder.ask({ type: 'liquidations', limit: 1 });
  await recorder.ask({ type: 'largestTrades', window: 'day', limit: 1 });
  await recorder.ask({ type: 'leaderboard', window: 'week', sortBy: 'pnl', limit: 2 });
}

async function askOfOutcomes(
  { recorder, venue }: Stage,
  { market, resolved, seriesSlug }: Traces,
): Promise<void> {
  const { now } = venue;
  const start = now - ASK_HOUR_MS - (now % ASK_HOUR_MS);
  await recorder.ask({ type: 'outcomeMeta', instrumentIds: [market] });
  await recorder.ask({ type: 'outcomeAssetCtxs', instrumentIds: [market] });
  await recorder.ask({ type: 'outcomeProbability', instrumentIds: [market], interval: '1h' });
  await recorder.ask({ type: 'outcomeSeriesTimeline', seriesSlug, limit: 1 });
  await recorder.ask({ type: 'outcomeResolution', instrumentId: resolved });
  await recorder.ask({ type: 'outcomeHolders', instrumentId: market });
  const span = { eventStartTime: start, variant: '1h' };
  await recorder.ask({ type: 'cryptoPrice', symbol: 'BTC', ...span });
  const past = { startTime: start, endTime: now };
  await recorder.ask({ type: 'cryptoPriceHistory', symbol: 'BTC', ...past });
}

async function askOfVenue({ people, recorder }: Stage, { txHash }: Traces): Promise<void> {
  const user = people.alice.address;
  await recorder.ask({ type: 'settings' });
  await recorder.ask({ type: 'feeTierInfo' });
  await recorder.ask({ type: 'actionStatus', txHash });
  const order = { a: BTC, b: true, p: '97002', s: '1', r: false, t: { limit: { tif: 'Ioc' } } };
  const action = { type: 'order', grouping: 'na', orders: [order] };
  await recorder.ask({ type: 'simulate', user, action });
  const [request] = recorder.actions.get('cancel')!;
  await recorder.ask({ type: 'explainSignature', envelope: request!.value });
  await recorder.ask({ type: 'rateLimit' });
  await recorder.ask({ type: 'reserves' });
  await recorder.ask({ type: 'reservesProof', user });
  await recorder.ask({ type: 'venueStatus' });
  await recorder.ask({ type: 'gateLists', channel: 0 });
  await recorder.ask({ type: 'venueHealth' });
  await recorder.ask({ type: 'blocks', limit: 1 });
  const { block } = await recorder.ask<{ block: number }>({ type: 'tx', txHash });
  await recorder.ask({ type: 'block', height: block });
  await recorder.ask({ type: 'txs', limit: 1 });
  await recorder.ask({ type: 'stateHash', height: block });
}

/** Subscribes to every channel and causes an event on each. */
async function follow(stage: Stage, traces: Traces): Promise<void> {
  const { people, recorder, venue } = stage;
  const { alice, bob } = people;
  const { delayed, market } = traces;
  const user = alice.address;
  const waits: (() => Promise<void>)[] = [];
  const on = async (
    path: '/ws' | '/api-ws',
    type: string,
    fields: Record<string, Json> = {},
    frames?: number,
  ) => {
    waits.push(await recorder.follow(path, { type, ...fields }, frames));
  };
  await on('/ws', 'l2Book', { coin, tick: '1' });
  await on('/ws', 'l2Diff', { coin }, 2);
  await on('/ws', 'trades', { coin });
  await on('/ws', 'activeAssetCtx', { coin });
  await on('/ws', 'orderUpdates', { user });
  await on('/ws', 'outcomeOrderUpdates', { user });
  await on('/ws', 'outcomeBbos', { instrumentIds: [market] });
  await on('/ws', 'outcomeTrades', { instrumentIds: [market] });
  await on('/ws', 'clearinghouseState', { user, accountType: 'outcome' });
  await on('/ws', 'userFundings', { user });
  await on('/ws', 'explorerBlock');
  await on('/ws', 'explorerTxs');
  await on('/api-ws', 'outcomeOrderUpdate', { user, includeSuccess: false });
  await on('/api-ws', 'candle', { coin, interval: '1m' });
  await on('/api-ws', 'tickers', { instrumentIds: [BTC] });
  await on('/api-ws', 'recentTrades', { coin, limit: 1 });
  await on('/api-ws', 'userFills', { user, accountType: ['perp'] });
  await on('/api-ws', 'userHistoricalOrders', { user, accountType: ['perp'] });
  await on('/api-ws', 'userNonFundingLedgerUpdates', { user });

  const { exchange } = alice.client;
  const order = limitOrder({ asset: BTC, side: 'buy', price: '97002', size: '0.01' });
  await exchange.order({ orders: [order] }, confirm);
  const shares = buyYes({ asset: market, price: '0.6', size: '5' });
  await exchange.order({ orders: [shares] }, confirm);

  // A taker order is held for its delay, and the market is halted before the order is released.
  const quote = { ...buyYes({ asset: delayed, price: '0.4', size: '10' }), b: false };
  await bob.client.exchange.order({ orders: [quote] }, confirm);
  await exchange.order({ orders: [buyYes({ asset: delayed, price: '0.6', size: '10' })] });
  const halt = { instrumentIds: [delayed], state: 'halt' } as const;
  await venue.admin.client.exchange.outcomeDeploy.setTrading(halt as never, confirm);
  await venue.advance('1s');
  await Promise.all(waits.map((wait) => wait()));
}
