import { accountView, perpDefinitions, type State } from '@oddlot/engine';
import type { Fill, FundingRow, HistOrderRow, LedgerUpdate, UserFundings } from '@oddlot/protocol';
import type { InfoQueryOf } from '@oddlot/protocol';
import type { Address } from '@oddlot/units';
import type { Answer, History, Page, UserPage } from '../../../history/history.ts';
import { instrumentNotFound } from '../../../translate/info/handler.ts';
import { readCursor } from './cursor.ts';
import { waitFor, type HistoryAnswer, type HistoryHandler } from './handler.ts';

/** What happened to one account, newest first: fills, orders, funding and the ledger. */

export const userFills: HistoryHandler<'userFills', readonly Fill[]> = ({ history }, query) =>
  ofAccountTypes(history, 'fills', query);

export const historicalOrders: HistoryHandler<'historicalOrders', readonly HistOrderRow[]> = (
  { history },
  query,
) => ofAccountTypes(history, 'orders', query);

async function ofAccountTypes<Table extends 'fills' | 'orders'>(
  history: History,
  table: Table,
  query: InfoQueryOf<'userFills'> | InfoQueryOf<'historicalOrders'>,
): Promise<HistoryAnswer<Answer<Table>['rows']>> {
  const page = pageOf(query);
  if (!page.ok) return page;
  const asked = { ...page.ask, accountTypes: query.accountType, ...instrumentOf(query) };
  const { answer, asOf } = await history.ask(table, asked, waitFor(query));
  return { ...paged(answer, page.ask), asOf, data: answer.rows };
}

export const userNonFundingLedgerUpdates: HistoryHandler<
  'userNonFundingLedgerUpdates',
  readonly LedgerUpdate[]
> = async ({ history }, query) => {
  const page = pageOf(query);
  if (!page.ok) return page;
  const asked = { ...page.ask, accountTypes: query.accountTypes };
  const { answer, asOf } = await history.ask('ledger', asked, waitFor(query));
  return { ...paged(answer, page.ask), asOf, data: answer.rows };
};

export const userFundings: HistoryHandler<'userFundings', UserFundings> = async (
  { history, replica },
  query,
) => {
  const page = pageOf(query);
  if (!page.ok) return page;
  const instruments = fundedInstruments(replica.state, query);
  if (!instruments.ok) return instruments;
  const { instrumentIds } = instruments;
  const isNone = query.accountType?.includes('perp') === false || instrumentIds?.length === 0;
  if (isNone) {
    // Nothing is asked for, but how far the history is must be told all the same.
    const { asOf } = await history.ask('blocks', { limit: 1 }, waitFor(query));
    const data = { data: [], hasMore: false, total: 0 };
    return { ok: true, data, asOf, next: null, rows: 0 };
  }
  const asked = {
    ...page.ask,
    ...(instrumentIds === undefined ? {} : { instrumentIds }),
    ...(query.fundingType === undefined ? {} : { direction: query.fundingType }),
  };
  const { answer, asOf } = await history.ask('fundings', asked, waitFor(query));
  const data = {
    data: answer.rows as FundingRow[],
    hasMore: answer.next !== null,
    ...(answer.total === undefined ? {} : { total: answer.total }),
  };
  return { ...paged(answer, page.ask), asOf, data };
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
):
  | { readonly ok: true; readonly ask: UserPage }
  | Extract<ReturnType<typeof readCursor>, { ok: false }> {
  const { endTime, limit, offset = 0, startTime, user } = query;
  const read = readCursor(query.cursor);
  if (!read.ok) return read;
  const ask = {
    user,
    limit,
    ...read.cursor,
    ...(offset === 0 ? {} : { offset }),
    ...(startTime === undefined ? {} : { startTime }),
    ...(endTime === undefined ? {} : { endTime }),
  };
  return { ok: true, ask };
}

function paged({ next, rows }: Page<unknown>, { offset = 0 }: UserPage) {
  return { ok: true, next, rows: rows.length, skipped: offset } as const;
}

function instrumentOf({ coin }: { readonly coin?: string | undefined }) {
  return coin === undefined ? {} : { instrumentId: Number(coin) };
}

type Instruments =
  | { readonly ok: true; readonly instrumentIds: readonly number[] | undefined }
  | Extract<HistoryAnswer, { ok: false }>;

/** The instruments that a query names; undefined for all. */
function fundedInstruments(
  state: State,
  { coin, contract, user }: InfoQueryOf<'userFundings'>,
): Instruments {
  if (contract === 'active') {
    // Nobody asks for the rank here, and the true one looks at every account.
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
