import {
  type HolderPlace,
  outcomeAccountView,
  outcomeHolders as holdersOf,
  type SharesView,
  type State,
} from '@oddlot/engine';
import {
  type AssetPosition,
  type ClearinghouseState,
  type InfoQueryOf,
  type OutcomeHolders,
  type Position,
  refusal,
} from '@oddlot/protocol';
import { type Address, divFloor, divHalfUp, formatMoney, negUsdc } from '@oddlot/units';
import type { MarketRecord, OutcomeCatalogue } from '../read-models/outcome-catalogue.ts';
import { outcomeName } from '../instruments.ts';
import {
  decimalsOf,
  formatAveragePrice,
  formatHalfPrice,
  formatPrice,
  formatRatio,
  formatSize,
} from '../format.ts';
import {
  answer,
  type InfoContext,
  type InfoHandler,
  instrumentNotFound,
  marketIn,
  marketsNeeded,
  type PastNeeds,
  type StateQueries,
} from './info-context.ts';
import { marketScale, resolutionStatus, shownMarket } from './outcome-market.ts';
import { listOf, PROCESS_SEAL } from '../cursor-seal.ts';

/**
 * Lists shares as positions: YES shares with a positive size, and NO shares with a negative one.
 */
const outcomePositions: InfoHandler<'outcomePositions', AssetPosition[]> = (
  { state, markets },
  { instrumentIds = [], user },
) => {
  const shares = sharesOf(state, user).filter(
    ({ instrumentId }) => instrumentIds.length === 0 || instrumentIds.includes(instrumentId),
  );
  return answer(shares.map((each) => sharesRecord(state, each, markets.catalogue)));
};

export type OutcomeStateOptions = {
  /**
   * The source of the markets' texts. Node streams omit it, because their records do not include
   * these texts.
   */
  readonly catalogue?: OutcomeCatalogue;
};

export function outcomeState(
  state: State,
  user: Address,
  options: OutcomeStateOptions = {},
): ClearinghouseState {
  const { free = 0n, reserved = 0n } = outcomeAccountView(state, user) ?? {};
  const shares = sharesOf(state, user);
  const value = shares.reduce((sum, each) => sum + valueOf(each), 0n);
  // The total value of the shares is rounded down once (R-rounding), as in the proof of reserves.
  const owed = divFloor(
    shares.reduce((sum, each) => sum + halvesOf(each), 0n),
    2n,
  );
  const cost = shares.reduce((sum, each) => sum + each.cost, 0n);
  const summary = {
    accountValue: formatMoney(free + reserved + owed),
    totalMarginUsed: formatMoney(reserved + cost),
    totalNtlPos: formatMoney(value),
    totalRawUsd: formatMoney(free + reserved),
  };
  return {
    marginSummary: summary,
    crossMarginSummary: { ...summary },
    // Withdrawals are paid from the perp sub-account, so the outcome sub-account has no holds or
    // vault equity.
    accountValuePlusWithdrawHold: summary.accountValue,
    totalRawUsdPlusWithdrawHold: summary.totalRawUsd,
    vaultEquity: '0',
    time: state.timeMs,
    assetPositions: shares.map((each) => sharesRecord(state, each, options.catalogue)),
    activeReverseJobs: [],
    crossMaintenanceMarginUsed: '0',
    // The margin ratio is empty, because no money is borrowed.
    crossMarginRatio: '',
    withdrawable: formatMoney(free),
  };
}

function sharesOf(state: State, user: Address): readonly SharesView[] {
  return outcomeAccountView(state, user)?.positions ?? [];
}

/** Values shares at the mark of their outcome, rounded half up to micro-USDC. */
function valueOf(shares: SharesView): bigint {
  return divHalfUp(halvesOf(shares), 2n);
}

function halvesOf({ markHalves, size }: SharesView): bigint {
  return BigInt(markHalves) * BigInt(size);
}

const NO_FUNDING = { allTime: '0', sinceChange: '0', sinceOpen: '0' };

function sharesRecord(
  state: State,
  shares: SharesView,
  catalogue: OutcomeCatalogue | undefined,
): AssetPosition {
  const { cost, instrumentId, leg, size } = shares;
  const scale = marketScale(state, instrumentId);
  const value = valueOf(shares);
  const market = catalogue?.market(instrumentId);
  return {
    position: {
      adlQuantile: 0,
      asset: String(instrumentId),
      coin: outcomeName(instrumentId),
      cumFunding: NO_FUNDING,
      entryPx: formatAveragePrice(scale, cost, size),
      leverage: { rawUsd: '', type: 'Cross', value: 1 },
      liquidationPx: '',
      marginRatio: '',
      marginUsed: formatMoney(cost),
      markPx: formatHalfPrice(scale, shares.markHalves),
      maxLeverage: 1,
      positionValue: formatMoney(value),
      returnOnEquity: cost === 0n ? '0' : formatRatio(value - cost, cost),
      szi: formatSize(scale, leg === 'yes' ? size : -size),
      unrealizedPnl: formatMoney(value - cost),
      updateTime: shares.updatedMs,
      cumFee: formatMoney(negUsdc(shares.feesPaid)),
      closedPnl: formatMoney(shares.realised),
      ...(market === undefined ? {} : textsOf(market)),
    },
    tpsl: [],
    type: 'OneWay',
  };
}

type Texts = Required<
  Pick<
    Position,
    'title' | 'slug' | 'outcomeNames' | 'priceDecimals' | 'sizeDecimals' | 'resolutionStatus'
  >
>;

function textsOf(market: MarketRecord): Texts {
  const { outcomes, priceTick, question, slug, szDecimals } = market.listing;
  return {
    title: question,
    slug,
    outcomeNames: [...outcomes],
    priceDecimals: decimalsOf(formatPrice({ szDecimals }, priceTick)),
    sizeDecimals: szDecimals,
    resolutionStatus: resolutionStatus(market),
  };
}

type Query = InfoQueryOf<'outcomeHolders'>;

/** Lists the holders of an outcome's shares. A settled market is accepted but has no holders. */
const outcomeHolders: InfoHandler<'outcomeHolders', OutcomeHolders> = (context, query) => {
  const { state } = context;
  const { instrumentId, limit, outcome } = query;
  const record = marketIn(context, instrumentId);
  if (record === undefined) return instrumentNotFound('instrumentId', instrumentId);
  const after = readCursor(context, query);
  if (after === 'invalid') {
    const details = { field: 'cursor', got: query.cursor ?? null };
    return { ok: false, error: refusal('invalidCursor', [], details) };
  }
  const leg = outcome === 'Yes' ? 'yes' : 'no';
  const found = holdersOf(state, instrumentId, { leg, limit, after });
  const { scale } = shownMarket(state, record);
  const nextCursor = found?.next === undefined ? null : cursorOf(context, query, found.next);
  const data: OutcomeHolders = {
    instrumentId,
    coin: outcomeName(instrumentId),
    outcome,
    holders: found?.holders ?? 0,
    shares: formatSize(scale, found?.shares ?? 0),
    rows: (found?.rows ?? []).map(({ account, cost, size }) => ({
      user: account,
      sz: formatSize(scale, size),
      entryPx: formatAveragePrice(scale, cost, size),
    })),
    nextCursor,
    time: state.timeMs,
  };
  return { ok: true, data, nextCursor };
};

const holdersNeeds: PastNeeds<'outcomeHolders'> = (context, { instrumentId }) =>
  marketsNeeded(context, [instrumentId]);

/**
 * Builds a cursor from the end of the page, with a seal that makes it invalid for the other
 * outcome.
 */
function cursorOf(
  { cursors = PROCESS_SEAL }: InfoContext,
  query: Query,
  { index, size }: HolderPlace,
): string {
  const seal = cursors(listOf(query), [size, index]);
  return Buffer.from(JSON.stringify([size, index, seal])).toString('base64url');
}

function readCursor(context: InfoContext, query: Query): HolderPlace | 'invalid' | undefined {
  const { cursor } = query;
  if (cursor === null || cursor === undefined) return undefined;
  let parts: unknown;
  try {
    parts = JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    // The given string is not one of this venue's cursors.
    return 'invalid';
  }
  if (!Array.isArray(parts)) return 'invalid';
  const place = { size: Number(parts[0]), index: Number(parts[1]) };
  return cursorOf(context, query, place) === cursor ? place : 'invalid';
}

export const OUTCOME_HOLDING_QUERIES = {
  outcomePositions: { answer: outcomePositions },
  outcomeHolders: { answer: outcomeHolders, needs: holdersNeeds },
} as const satisfies StateQueries;
