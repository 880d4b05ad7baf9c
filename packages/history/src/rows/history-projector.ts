import { accountWorth, type BookObserver, type State } from '@oddlot/engine';
import type { Address, Hash } from '@oddlot/units';
import {
  type AppliedBlock,
  authorityOf,
  type EarlierBlock,
  type Projection,
} from '@oddlot/replica/block';
import type { MarketData } from '@oddlot/translate/read-models/market-data';
import type { AccountSums } from '../history.ts';
import type { ReceiptRow } from '../receipt.ts';
import { AccountValues, type AccountValuesDump } from './account-values.ts';
import { packedArrivals } from '../store/trace-rows.ts';
import type { ArrivalTrace, BlockRows, LiveRows, PackedArrivals, TxRecord } from './block-rows.ts';
import { fillRecords, liquidationRecords } from './fill-records.ts';
import { claimRecords, fundingRecords, LedgerRows } from './ledger-rows.ts';
import {
  LargestTrades,
  type LargestTradesDump,
  OpenInterest,
  type OpenInterestDump,
  RunningBars,
} from './market-figures.ts';
import { LiveOrders, type LiveOrdersDump } from './live-orders.ts';
import {
  knownMarkets,
  marketRecords,
  settledEventsBefore,
  settledEventsOf,
} from './market-rows.ts';
import { type InstrumentLookup, instrumentLookup } from '@oddlot/translate/instruments';
import { actionTypeOf } from '@oddlot/translate/action-to-command';
import { executionError, isTransaction } from '@oddlot/translate/explorer';

type HistoryProjectorOptions = {
  readonly state: () => State;
  /** The market data, which must receive each block before the projector does. */
  readonly markets: Pick<MarketData, 'catalogue'>;
  readonly receiptsOf: (height: number) => readonly ReceiptRow[];
  readonly onRows: (rows: BlockRows) => void;
  /** Decides whether changes of an account's orders are reported. By default, all are reported. */
  readonly isReported?: (user: Address) => boolean;
};

/** The rows of an earlier release, of which those with rules version 3 do not pack arrivals. */
type EarlierRows = Omit<BlockRows, 'arrivals'> & {
  readonly arrivals?: ArrivalTrace[] | PackedArrivals | undefined;
};

type LastBlock = { readonly height: number; readonly hash: Hash };

/**
 * Derives the rows of the history from blocks. Data from earlier blocks that later rows need is
 * kept in memory and in snapshots: totals of live orders, open candles, pending withdrawals and
 * totals of accounts.
 */
export class HistoryProjector implements Projection {
  readonly name = 'history';
  /**
   * Version 2 added the placement times of trigger orders, 3 the rows of parents, 4 those of live
   * orders, 5 their traces, and 6 the largest trades and open interest.
   */
  readonly version = 6;
  readonly #options: HistoryProjectorOptions;
  readonly #instruments: InstrumentLookup;
  readonly #orders: LiveOrders;
  readonly observer: BookObserver;
  /** Rows of live orders. They are built on demand and not stored. */
  readonly liveRows: LiveRows;
  readonly #ledger = new LedgerRows();
  readonly #bars = new RunningBars();
  readonly #values = new AccountValues();
  readonly #largest = new LargestTrades();
  readonly #interest = new OpenInterest();
  #last: LastBlock | undefined;
  /**
   * False before the first block of this era; the state can already contain markets and orders
   * then.
   */
  #hasBegun = false;

  constructor(options: HistoryProjectorOptions) {
    this.#options = options;
    this.#instruments = instrumentLookup(options.state);
    this.#orders = new LiveOrders(options.isReported ?? (() => true));
    this.observer = this.#orders.observer;
    this.liveRows = this.#orders.rows(options.state);
  }

  onBlock(block: AppliedBlock): void {
    const { markets, onRows, receiptsOf } = this.#options;
    const state = this.#options.state();
    const { hash: blockHash, height, parentHash, stateHash, timeMs } = block;
    const receipts = receiptsOf(height);
    const isFirst = !this.#hasBegun;
    this.#hasBegun = true;
    this.#last = { height, hash: blockHash };
    if (isFirst) this.#orders.begin(state);
    onRows({
      head: { height, timeMs, hash: blockHash, stateHash, parentHash },
      txs: txRecords(block, this.#instruments),
      receipts,
      fills: fillRecords(state, block),
      ...this.#orders.take(state, block),
      fundings: fundingRecords(state, block),
      ...this.#ledger.take(state, block),
      claims: claimRecords(block),
      candles: this.#bars.take(block),
      accountValues: this.#values.take(state, block),
      markets: isFirst ? knownMarkets(markets.catalogue) : marketRecords(block),
      settledEvents: isFirst
        ? settledEventsBefore(state, markets.catalogue)
        : settledEventsOf(state, markets.catalogue, block),
      liquidations: liquidationRecords(state, block),
      largestTrades: this.#largest.take(state, block),
      openInterest: this.#interest.take(state, block),
    });
  }

  /** Passes on rows created by an earlier release's engine, with that release's texts (R-era). */
  onEarlierBlock({ head, rows }: EarlierBlock): void {
    this.#last = { height: head.height, hash: head.hash };
    const { arrivals, ...rest } = rows as EarlierRows;
    const isListed = Array.isArray(arrivals);
    this.#options.onRows(
      isListed ? { ...rest, arrivals: packedArrivals(arrivals) } : (rows as BlockRows),
    );
  }

  accountSums(user: Address): AccountSums | null {
    const value = accountWorth(this.#options.state(), user);
    return value === undefined ? null : { ...this.#values.sumsOf(user), value: Number(value) };
  }

  users(from: number, limit: number): readonly Address[] {
    const { accounts } = this.#options.state();
    return accounts.slice(from, from + limit).map(({ address }) => address);
  }

  rememberedOrders(): Iterable<number> {
    return this.#orders.ids();
  }

  dump(): HistoryDump {
    return {
      last: this.#last ?? null,
      hasBegun: this.#hasBegun,
      ...this.#orders.dump(),
      withdrawals: this.#ledger.dump(),
      bars: this.#bars.dump(),
      values: this.#values.dump(),
      largest: this.#largest.dump(),
      interest: this.#interest.dump(),
    };
  }

  restore(data: unknown): void {
    const dumped = data as HistoryDump;
    this.#last = dumped.last ?? undefined;
    this.#hasBegun = dumped.hasBegun;
    this.#orders.restore(dumped);
    this.#ledger.restore(dumped.withdrawals);
    this.#bars.restore(dumped.bars);
    this.#values.restore(dumped.values);
    this.#largest.restore(dumped.largest);
    this.#interest.restore(dumped.interest);
  }

  reset(): void {
    this.#last = undefined;
    this.#hasBegun = false;
    this.#orders.clear();
    this.#ledger.clear();
    this.#bars.clear();
    this.#values.clear();
    this.#largest.clear();
    this.#interest.clear();
  }
}

type HistoryDump = LiveOrdersDump & {
  readonly last: LastBlock | null;
  readonly hasBegun: boolean;
  readonly withdrawals: ReturnType<LedgerRows['dump']>;
  readonly bars: ReturnType<RunningBars['dump']>;
  readonly values: AccountValuesDump;
  readonly largest: LargestTradesDump;
  readonly interest: OpenInterestDump;
};

/**
 * Returns the signed requests in a block with the result shown by the explorer channel. Results of
 * orders in the delay queue are missing from it; they are only in the receipt, which is completed
 * later.
 */
function txRecords(block: AppliedBlock, instruments: InstrumentLookup): TxRecord[] {
  const records: TxRecord[] = [];
  for (const [index, { command, request }] of block.commands.entries()) {
    const executed = block.result.outcomes[index];
    if (!isTransaction(command, executed)) continue;
    const { signer, txHash } = authorityOf(command);
    records.push({
      index,
      txHash,
      user: executed?.account ?? signer,
      actionType: actionTypeOf(command),
      error:
        executed === undefined ? null : executionError(command, executed, { instruments, request }),
      request: request ?? '',
    });
  }
  return records;
}
