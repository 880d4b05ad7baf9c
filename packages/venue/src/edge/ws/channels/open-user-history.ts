import {
  LIMITS,
  type ChannelParams,
  type Fill,
  type FundingRow,
  type HistOrderRow,
  type LedgerUpdate,
  type UserFillsUpdate,
  type UserFundingsUpdate,
  type UserHistoricalOrdersUpdate,
  type UserLedgerUpdate,
} from '@oddlot/protocol';
import type { AccountType } from '../../../history/rows/block-rows.ts';
import type { WatchedTable } from '../../../history/history.ts';
import { HistorySource, type HistoryRowWriter } from './history-source.ts';
import type { ChannelContext, Opening } from './node-channel.ts';
import type { UserParams } from './user-event-channel.ts';

type FillsParams = ChannelParams<'userFills'>;
type OrdersParams = ChannelParams<'userHistoricalOrders'>;
type LedgerParams = ChannelParams<'userNonFundingLedgerUpdates'>;

/** The stream of one user's rows in the history: the newest 200 first, then those of each block. */
export function openUserHistory<Table extends WatchedTable, Params extends UserParams, Row>(
  { history, state }: Pick<ChannelContext, 'history' | 'state'>,
  writer: HistoryRowWriter<Table, Params, Row>,
  params: Params,
): Opening {
  const { channel, variant } = writer;
  const key = `${channel}:${params.user}`;
  return {
    ok: true,
    recipe: {
      key: variant === undefined ? key : `${key}:${variant(params)}`,
      channel,
      source: (stream) => {
        const { height } = state();
        return new HistorySource({ history, writer, params, stream, height });
      },
    },
  };
}

const limit = LIMITS.snapshotRowsMax;

export const USER_FILLS: HistoryRowWriter<'fills', FillsParams, Fill> = {
  channel: 'userFills',
  table: 'fills',
  variant: ({ accountType }) => accountType.join(','),
  accountTypes: ({ accountType }) => accountType,
  rows: ({ accountType }, told) => rowsOf(accountType, told),
  async newest(history, { user, accountType: accountTypes }) {
    const { asOf, answer } = await history.ask('fills', { user, accountTypes, limit });
    return { asOf, rows: answer.rows };
  },
  frame({ user }, rows, isSnapshot) {
    const update: UserFillsUpdate = { user, ...marked(isSnapshot), fills: [...rows] };
    return JSON.stringify(update);
  },
};

export const USER_HISTORICAL_ORDERS: HistoryRowWriter<'orders', OrdersParams, HistOrderRow> = {
  channel: 'userHistoricalOrders',
  table: 'orders',
  variant: ({ accountType }) => accountType.join(','),
  accountTypes: ({ accountType }) => accountType,
  rows: ({ accountType }, told) => rowsOf(accountType, told),
  async newest(history, { user, accountType: accountTypes }) {
    const { asOf, answer } = await history.ask('orders', { user, accountTypes, limit });
    return { asOf, rows: answer.rows };
  },
  frame({ user }, rows, isSnapshot) {
    const orderHistory = [...rows];
    const update: UserHistoricalOrdersUpdate = { user, ...marked(isSnapshot), orderHistory };
    return JSON.stringify(update);
  },
};

export const USER_LEDGER: HistoryRowWriter<'ledger', LedgerParams, LedgerUpdate> = {
  channel: 'userNonFundingLedgerUpdates',
  table: 'ledger',
  variant: ({ accountTypes }) => accountTypes.join(','),
  accountTypes: ({ accountTypes }) => accountTypes,
  rows: ({ accountTypes }, told) => rowsOf(accountTypes, told),
  async newest(history, { user, accountTypes }) {
    const { asOf, answer } = await history.ask('ledger', { user, accountTypes, limit });
    return { asOf, rows: answer.rows };
  },
  frame({ user }, rows, isSnapshot) {
    const nonFundingLedgerUpdates = [...rows];
    const update: UserLedgerUpdate = { user, ...marked(isSnapshot), nonFundingLedgerUpdates };
    return JSON.stringify(update);
  },
};

export const USER_FUNDINGS: HistoryRowWriter<'fundings', UserParams, FundingRow> = {
  channel: 'userFundings',
  table: 'fundings',
  accountTypes: () => ['perp'],
  rows: (_, told) => told.map(({ row }) => row),
  async newest(history, { user }) {
    const { asOf, answer } = await history.ask('fundings', { user, limit });
    return { asOf, rows: answer.rows };
  },
  frame({ user }, rows, isSnapshot) {
    const update: UserFundingsUpdate = { user, ...marked(isSnapshot), fundings: [...rows] };
    return JSON.stringify(update);
  },
};

function rowsOf<Row>(
  wanted: readonly AccountType[],
  told: readonly { readonly accountTypes: readonly AccountType[]; readonly row: Row }[],
): readonly Row[] {
  const isWanted = (types: readonly AccountType[]) => types.some((type) => wanted.includes(type));
  return told.filter(({ accountTypes }) => isWanted(accountTypes)).map(({ row }) => row);
}

function marked(isSnapshot: true | undefined): { isSnapshot?: true } {
  return isSnapshot === undefined ? {} : { isSnapshot };
}
