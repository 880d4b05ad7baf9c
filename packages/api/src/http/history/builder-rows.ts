import { instrumentLookup } from '@oddlot/translate/action-to-command';
import {
  type BuilderClaim,
  type BuilderClaimable,
  type BuilderEarning,
  type BuilderRows,
  type BuilderShare,
  type BuilderShares,
  type InfoQueryOf,
  OUTCOME_ID_MIN,
} from '@oddlot/protocol';
import { formatDecimal, formatMoney } from '@oddlot/units';
import type { BuilderPage, NumberedPage } from '@oddlot/history/history';
import type { ClaimRecord, EarningRecord } from '@oddlot/history/rows/block-rows';
import { outcomeName } from '@oddlot/translate/instruments';
import { pageOfMoving, type Place, readCursor } from './cursor.ts';
import {
  type HistoryContext,
  type HistoryHandler,
  waitFor,
  type HistoryQueries,
} from './handler.ts';

const builderMeEarned: HistoryHandler<'builderMeEarned', BuilderRows<BuilderEarning>> = async (
  { cursors, history },
  query,
) => {
  const page = pageOf(query, cursors);
  if (!page.ok) return page;
  const { cursor: _, ...asked } = page.ask;
  const { answer, asOf, next } = await pageOfMoving(
    page.place,
    (direction) => history.ask('earned', { ...asked, ...direction }, waitFor(query)),
    async (cursor) => {
      const behind = { ...asked, cursor, order: 'oldestFirst', pageSize: 1 } as const;
      const { answer: found } = await history.ask('earned', behind, waitFor(query));
      return found.rows.length > 0;
    },
  );
  return { ...numbered(answer), next, asOf, data: rowsOf(answer, query, earningRow) };
};

const builderMeClaimed: HistoryHandler<'builderMeClaimed', BuilderRows<BuilderClaim>> = async (
  { cursors, history },
  query,
) => {
  const page = pageOf(query, cursors);
  if (!page.ok) return page;
  const { answer, asOf } = await history.ask('claimed', page.ask, waitFor(query));
  return { ...numbered(answer), asOf, data: rowsOf(answer, query, claimRow) };
};

const DAY_MS = 24 * 60 * 60 * 1000;
const WINDOW_DAYS = { '7d': 7, '30d': 30, '90d': 90, all: Infinity } as const;
/** The maximum number of shares listed. The ratios are relative to the total of all shares. */
export const SHARES_MAX = 1000;
/** The denominator of ratios, which have six decimals. */
const RATIO_ONE = 1_000_000;

const builderMeShare: HistoryHandler<'builderMeShare', BuilderShares> = async (
  { history, replica },
  query,
) => {
  const { dimension, user: builder, window } = query;
  const sinceMs = Math.max(0, replica.state.timeMs - WINDOW_DAYS[window] * DAY_MS);
  const asked = { builder, dimension, sinceMs, limit: SHARES_MAX };
  const { answer, asOf } = await history.ask('shares', asked, waitFor(query));
  const instruments = instrumentLookup(() => replica.state);
  const nameOf = (id: number): string =>
    instruments(id)?.name ?? (id < OUTCOME_ID_MIN ? '' : outcomeName(id));
  const items = answer.rows.map(({ feeMicroUsdc, key }): BuilderShare => {
    const name = dimension === 'instrument' ? nameOf(Number(key)) : '';
    const shown = dimension === 'instrument' ? key : masked(key);
    const millionths = Math.round((feeMicroUsdc * RATIO_ONE) / answer.totalMicroUsdc);
    return {
      instrumentName: name,
      key: shown,
      label: name === '' ? shown : name,
      ratio: millionths / RATIO_ONE,
      value: formatMoney(feeMicroUsdc),
    };
  });
  const data: BuilderShares = { dimension, items, metric: 'fee', window };
  return { ok: true, data, asOf };
};

const builderMeClaimable: HistoryHandler<'builderMeClaimable', BuilderClaimable> = async (
  { history },
  query,
) => {
  const { answer, asOf } = await history.ask('claimable', { builder: query.user }, waitFor(query));
  const { claimedMicroUsdc, earnedMicroUsdc, hasAny } = answer;
  const data: BuilderClaimable = {
    claimable: formatMoney(Math.max(earnedMicroUsdc - claimedMicroUsdc, 0)),
    hasAggregate: hasAny,
    source: 'aggregate',
    totalClaimed: formatMoney(claimedMicroUsdc),
    totalEarned: formatMoney(earnedMicroUsdc),
    ...(hasAny ? { asOf: asOf.timeMs } : {}),
  };
  return { ok: true, data, asOf };
};

type PagedQuery = InfoQueryOf<'builderMeEarned'> | InfoQueryOf<'builderMeClaimed'>;

function pageOf(
  query: PagedQuery,
  cursors: HistoryContext['cursors'],
):
  | { readonly ok: true; readonly ask: BuilderPage; readonly place: Place | undefined }
  | Extract<ReturnType<typeof readCursor>, { ok: false }> {
  const { endTime, page, pageSize, startTime, user: builder } = query;
  const read = readCursor(query, cursors);
  if (!read.ok) return read;
  const ask = {
    builder,
    page,
    pageSize,
    ...(read.place === undefined ? {} : { cursor: read.place.at }),
    ...(startTime === undefined ? {} : { startTime }),
    ...(endTime === undefined ? {} : { endTime }),
  };
  return { ok: true, ask, place: read.place };
}

function numbered({ next }: NumberedPage<unknown>) {
  const place = next && { at: next };
  return { ok: true, next: place } as const;
}

function rowsOf<Record, Row>(
  { rows, total }: NumberedPage<Record>,
  { page, pageSize }: PagedQuery,
  rowOf: (record: Record) => Row,
): BuilderRows<Row> {
  return { items: rows.map(rowOf), page, pageSize, total };
}

/** The number of decimals of a fee rate whose unit is a tenth of a basis point. */
const TENTHS_BP_DECIMALS = 5;

function earningRow(record: EarningRecord): BuilderEarning {
  return {
    builderFee: formatMoney(record.feeMicroUsdc),
    builderFeeRate: formatDecimal(record.feeTenthsBp, TENTHS_BP_DECIMALS),
    builderFeeRateF: record.feeTenthsBp,
    instrumentId: record.instrumentId,
    instrumentName: record.instrumentName,
    marketType: record.accountType === 'perp' ? 'perps' : 'outcome',
    notional: formatMoney(record.notionalMicroUsdc),
    orderId: record.orderId,
    price: record.price,
    qty: record.qty,
    role: record.role,
    time: record.timeMs,
    tradeId: record.tradeId,
    txHash: record.txHash,
    user: masked(record.user),
  };
}

function claimRow({ amountMicroUsdc, builder, timeMs, txHash }: ClaimRecord): BuilderClaim {
  return {
    amount: formatMoney(amountMicroUsdc),
    asset: 'USDC',
    status: 'success',
    time: timeMs,
    to: builder,
    txHash,
  };
}

/**
 * Returns `0x` with the first and last four digits, which distinguishes traders without identifying
 * them.
 */
function masked(address: string): string {
  return `${address.slice(0, 6)}****${address.slice(-4)}`;
}

export const BUILDER_QUERIES = {
  builderMeClaimed,
  builderMeEarned,
  builderMeShare,
  builderMeClaimable,
} as const satisfies HistoryQueries;
