import { accountView, perpDefinitions, type State } from '@oddlot/engine';
import { type ExecutionReport, type InfoQueryOf, refusal, type Withdrawal } from '@oddlot/protocol';
import { type Address, formatMoney } from '@oddlot/units';
import type { Ask, Page, UserPage } from '@oddlot/history/history';
import { instrumentNotFound } from '@oddlot/translate/info/info-context';
import { pageOfMoving, type Place, readCursor } from './cursor.ts';
import {
  type HistoryAnswer,
  type HistoryContext,
  type HistoryHandler,
  JsonText,
  waitFor,
  waitForSpan,
  type HistoryQueries,
} from './handler.ts';
import type { WithdrawalRecord } from '@oddlot/history/rows/block-rows';
import type { PayoutProgress } from '@oddlot/settlement/payout/payout-worker';

const userFills: HistoryHandler<'userFills', JsonText> = async ({ cursors, history }, query) => {
  const page = pageOf(query, cursors);
  if (!page.ok) return page;
  const asked = { ...page.ask, accountTypes: query.accountType, ...instrumentOf(query) };
  const { answer, asOf } = await history.ask('fills', asked, waitForSpan(history, query));
  return { ...paged(answer), asOf, data: rowsOf(answer) };
};

const historicalOrders: HistoryHandler<'historicalOrders', JsonText> = async (
  { cursors, history },
  query,
) => {
  const page = pageOf(query, cursors);
  if (!page.ok) return page;
  const { cursor: _, ...list } = page.ask;
  const asked = { ...list, accountTypes: query.accountType, ...instrumentOf(query) };
  const { answer, asOf, next } = await pageOfMoving(
    page.place,
    (direction) => history.ask('orders', { ...asked, ...direction }, waitFor(query)),
    async (cursor) => {
      const behind = { ...asked, cursor, order: 'oldestFirst', limit: 1 } as const;
      const { answer: found } = await history.ask('orders', behind, waitFor(query));
      return (found.text?.count ?? 0) > 0;
    },
  );
  return { ...paged(answer), next, asOf, data: rowsOf(answer) };
};

const userNonFundingLedgerUpdates: HistoryHandler<'userNonFundingLedgerUpdates', JsonText> = async (
  { cursors, history },
  query,
) => {
  const page = pageOf(query, cursors);
  if (!page.ok) return page;
  const asked = { ...page.ask, accountTypes: query.accountTypes };
  const { answer, asOf } = await history.ask('ledger', asked, waitFor(query));
  return { ...paged(answer), asOf, data: rowsOf(answer) };
};

const userFundings: HistoryHandler<'userFundings', JsonText> = async (
  { cursors, history, replica },
  query,
) => {
  const page = pageOf(query, cursors);
  if (!page.ok) return page;
  const instruments = fundedInstruments(replica.state, query);
  if (!instruments.ok) return instruments;
  const { instrumentIds } = instruments;
  const isNone = query.accountType?.includes('perp') === false || instrumentIds?.length === 0;
  if (isNone) {
    // There are no rows, but the response must still give the history's newest block.
    const { asOf } = await history.ask('blocks', { limit: 1 }, waitFor(query));
    const data = new JsonText('{"data":[],"hasMore":false,"total":0}');
    return { ok: true, data, asOf, next: null };
  }
  const asked = {
    ...page.ask,
    ...(instrumentIds === undefined ? {} : { instrumentIds }),
    ...(query.fundingType === undefined ? {} : { direction: query.fundingType }),
  };
  const { answer, asOf } = await history.ask('fundings', asked, waitFor(query));
  const total = answer.total === undefined ? '' : `,"total":${answer.total}`;
  const text = `{"data":${rowsOf(answer).json},"hasMore":${answer.next !== null}${total}}`;
  return { ...paged(answer), asOf, data: new JsonText(text) };
};

type PagedQuery = {
  readonly user: Address;
  readonly startTime?: number | undefined;
  readonly endTime?: number | undefined;
  readonly limit: number;
  readonly offset?: number;
  readonly cursor?: string | null | undefined;
};

function pageOf(
  query: PagedQuery,
  cursors: HistoryContext['cursors'],
):
  | { readonly ok: true; readonly ask: UserPage; readonly place: Place | undefined }
  | Extract<ReturnType<typeof readCursor>, { ok: false }> {
  const { endTime, limit, offset = 0, startTime, user } = query;
  const read = readCursor(query, cursors);
  if (!read.ok) return read;
  const ask = {
    user,
    limit,
    asText: true as const,
    ...(read.place === undefined ? {} : { cursor: read.place.at }),
    ...(offset === 0 ? {} : { offset }),
    ...(startTime === undefined ? {} : { startTime }),
    ...(endTime === undefined ? {} : { endTime }),
  };
  return { ok: true, ask, place: read.place };
}

function paged({ next }: Page<unknown>) {
  const place = next && { at: next };
  return { ok: true, next: place } as const;
}

function rowsOf({ text }: Page<unknown>): JsonText {
  return new JsonText(text?.json ?? '[]');
}

function instrumentOf({ coin }: { readonly coin?: string | undefined }) {
  return coin === undefined ? {} : { instrumentId: Number(coin) };
}

type Instruments =
  | { readonly ok: true; readonly instrumentIds: readonly number[] | undefined }
  | Extract<HistoryAnswer, { ok: false }>;

/** Returns the instruments of a query, or undefined for all instruments. */
function fundedInstruments(
  state: State,
  { coin, contract, user }: InfoQueryOf<'userFundings'>,
): Instruments {
  if (contract === 'active') {
    // The ADL rank is not needed here, and computing it would read every account.
    const positions = accountView(state, user, () => 0)?.positions ?? [];
    return { ok: true, instrumentIds: [...new Set(positions.map((each) => each.instrumentId))] };
  }
  if (coin === undefined) return { ok: true, instrumentIds: undefined };
  if (/^\d{1,10}$/.test(coin)) return { ok: true, instrumentIds: [Number(coin)] };
  const name = coin.toUpperCase();
  const instrumentIds = perpDefinitions(state)
    .filter((perp) => [perp.name, perp.baseCurrency].some((each) => each.toUpperCase() === name))
    .map(({ instrumentId }) => Number(instrumentId));
  if (instrumentIds.length > 0) return { ok: true, instrumentIds };
  const refused = instrumentNotFound('coin', coin);
  if (refused.ok) throw new TypeError('a refusal');
  return refused;
}

const withdrawals: HistoryHandler<'withdrawals', Withdrawal[]> = async (
  { history, payouts },
  query,
) => {
  const { before, limit, user } = query;
  const asked = { user, limit, ...(before === undefined ? {} : { before }) };
  const { answer, asOf } = await history.ask('withdrawals', asked, waitFor(query));
  const data = await Promise.all(
    answer.map(async (record) => {
      const isOpen = record.status === 'pending';
      const progress = isOpen ? await payouts?.progressOf(record.withdrawalId) : undefined;
      return withdrawalRow(record, progress);
    }),
  );
  return { ok: true, data, asOf };
};

/**
 * The venue's status for a withdrawal, which does not reflect its progress on the settlement chain.
 */
const STATUSES = { pending: 'held', completed: 'confirmed', failed: 'returned' } as const;

/**
 * Builds the row of a withdrawal. A pending withdrawal has a more detailed status on the settlement
 * chain.
 */
function withdrawalRow(record: WithdrawalRecord, progress: PayoutProgress | undefined): Withdrawal {
  return {
    id: record.withdrawalId,
    time: record.timeMs,
    destination: record.destination,
    amount: formatMoney(record.amountMicroUsdc),
    fee: formatMoney(record.feeMicroUsdc),
    status: progress?.status ?? STATUSES[record.status],
    txHash: progress?.txHash ?? record.txHash ?? null,
    error: progress?.error ?? record.error ?? null,
    updateTime: Math.max(progress?.updatedMs ?? 0, record.updatedMs),
  };
}

/**
 * The maximum number of rows per order in addition to its fills: its arrival, its end and its
 * action.
 */
const ROWS_PER_ORDER = 20;

const executionReport: HistoryHandler<'executionReport', ExecutionReport> = async (
  { history },
  query,
) => {
  const { user } = query;
  const { by, field } = nameOf(query);
  const { answer, asOf } = await history.ask('executionReport', { user, by }, waitFor(query));
  if (answer.length === 0) {
    return { ok: false, error: refusal('noSuchOrder', [], { field, got: query[field] ?? null }) };
  }
  const rows = answer.reduce((sum, { fills }) => sum + ROWS_PER_ORDER + fills.length, 0);
  return { ok: true, data: { user, orders: [...answer] }, asOf, rows };
};

function nameOf({ cloid, oid, txHash }: InfoQueryOf<'executionReport'>): {
  readonly by: Ask<'executionReport'>['by'];
  readonly field: 'oid' | 'cloid' | 'txHash';
} {
  if (txHash !== undefined) return { by: { txHash }, field: 'txHash' };
  if (cloid !== undefined) return { by: { clientOrderId: cloid }, field: 'cloid' };
  return { by: { orderId: oid ?? 0 }, field: 'oid' };
}

export const USER_ROW_QUERIES = {
  userFills,
  historicalOrders,
  executionReport,
  userFundings,
  userNonFundingLedgerUpdates,
  withdrawals,
} as const satisfies HistoryQueries;
