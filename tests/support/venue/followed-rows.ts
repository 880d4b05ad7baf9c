import { present, type Address } from '@oddlot/units';
import { HistoryProjector } from '../../../packages/history/src/rows/history-projector.ts';
import type { BlockRows } from '../../../packages/history/src/rows/block-rows.ts';
import type { ReceiptRow } from '../../../packages/history/src/receipt.ts';
import { Receipts } from '../../../packages/history/src/receipts.ts';
import { MarketData } from '../../../packages/translate/src/read-models/market-data.ts';
import { instrumentLookup } from '../../../packages/translate/src/instruments.ts';
import type { TestVenue } from './ws/test-venue.ts';

/** Runs a test venue's history projector with real receipts and markets. */
export class FollowedRows {
  readonly rows: BlockRows[] = [];
  readonly projector: HistoryProjector;

  constructor(venue: TestVenue, markets = followedMarkets(venue)) {
    const state = () => venue.state;
    const made = new Map<number, readonly ReceiptRow[]>();
    const receipts = new Receipts({
      instruments: instrumentLookup(state),
      onReceipts: ({ height, receipts: rows }) => made.set(height, rows),
    });
    this.projector = new HistoryProjector({
      state,
      markets,
      receiptsOf: (height) => made.get(height) ?? [],
      onRows: (rows) => this.rows.push(rows),
    });
    venue.onBlock((block) => {
      receipts.onBlock(block);
      this.projector.onBlock(block);
    });
  }

  fills(user: Address) {
    return this.rows.flatMap(({ fills }) => fills.filter((fill) => fill.user === user));
  }

  /** Returns an order's rows, oldest first. Each row is the state of the order after one block. */
  orders(orderId: number) {
    return this.rows.flatMap(({ orders }) => orders.filter((each) => each.orderId === orderId));
  }

  ledger(user: Address) {
    return this.rows.flatMap(({ ledger }) => ledger.filter((row) => row.user === user));
  }

  get last(): BlockRows {
    return present(this.rows.at(-1), 'a block');
  }
}

function followedMarkets(venue: TestVenue): MarketData {
  const markets = new MarketData(() => venue.state);
  venue.onBlock((block) => markets.onBlock(block));
  return markets;
}
