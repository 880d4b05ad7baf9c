import type { Kysely } from 'kysely';
import type { Answer, Ask, StoreTopic } from '../../history.ts';
import type { LiveRows } from '../../rows/block-rows.ts';
import type { HistoryTables } from '../history-tables.ts';
import { claimable, claimed, earned, shares } from './builder-rows.ts';
import { block, blocks, receipt, tx, txs, userTxs } from './chain-rows.ts';
import { executionReport } from './execution-report.ts';
import {
  accountValues,
  bars,
  largestTrades,
  liquidations,
  openInterest,
  settledEvents,
  settledMarket,
  valuesAt,
} from './market-rows.ts';
import { since } from './since.ts';
import { fills, fundings, ledger, orders, withdrawals } from './user-rows.ts';

/** Who answers what. */
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
  earned,
  claimed,
  shares,
  claimable,
  executionReport,
  receipt,
  blocks,
  block,
  tx,
  txs,
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
