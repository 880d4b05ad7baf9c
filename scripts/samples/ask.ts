import { BTC, type Traces } from './act.ts';
import type { Json } from './recorder.ts';
import type { Stage } from './stage.ts';

const HOUR_MS = 3_600_000;
const coin = String(BTC);

/** Sends every query. */
export async function ask(stage: Stage, traces: Traces): Promise<void> {
  const { people, recorder, venue } = stage;
  const { alice, carol } = people;
  const startTime = venue.now - HOUR_MS;
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
  const start = now - HOUR_MS - (now % HOUR_MS);
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
