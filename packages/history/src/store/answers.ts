import type { Kysely } from 'kysely';
import type { Answer, Ask, StoreTopic } from '../history.ts';
import type { LiveRows } from '../rows/block-rows.ts';
import type { HistoryTables } from './history-tables.ts';
import { claimable, claimedPage, earnedPage, shares } from './builder-rows.ts';
import { findBlock, findReceipt, findTx, findTxs, newestBlocks, userTxs } from './chain-rows.ts';
import { executionReport } from './execution-report.ts';
import {
  bars,
  largestTrades,
  liquidations,
  openInterest,
  settledEvents,
  settledMarket,
} from './market-rows.ts';
import {
  accountValues,
  fills,
  fundings,
  ledger,
  orders,
  since,
  valuesAt,
  withdrawals,
} from './user-rows.ts';

export const ANSWERS: {
  readonly [Topic in StoreTopic]: (
    database: Kysely<HistoryTables>,
    question: Ask<Topic>,
    live?: LiveRows,
  ) => Promise<Answer<Topic>>;
} = {
  fills,
  orders,
  ledger,
  fundings,
  since,
  earned: earnedPage,
  claimed: claimedPage,
  shares,
  claimable,
  executionReport,
  receipt: findReceipt,
  blocks: newestBlocks,
  block: findBlock,
  tx: findTx,
  txs: findTxs,
  userTxs,
  bars,
  liquidations,
  largestTrades,
  openInterest,
  accountValues,
  valuesAt,
  withdrawals,
  settledEvents,
  settledMarket,
};
