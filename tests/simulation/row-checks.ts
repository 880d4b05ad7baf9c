import {
  builderState,
  findOrder,
  type OrderSnapshot,
  openOrders,
  outcomeOpenOrders,
  type State,
} from '@oddlot/engine';
import type { Fill, HistOrderRow, LedgerUpdate } from '@oddlot/protocol';
import { type Address, present } from '@oddlot/units';
import type { AccountSums } from '../../packages/history/src/history.ts';
import type {
  BlockRows,
  CandleRecord,
  EarningRecord,
} from '../../packages/history/src/rows/block-rows.ts';
import { type Exact, exact, MICRO, show, sum, times } from '../support/exact.ts';

/**
 * Sums up history rows using only their text, and compares the results with the engine's state. The
 * accounts computed from the history must equal the venue's to the micro-USDC.
 */

const ZERO = exact('0');

type Books = {
  readonly fills: Fill[];
  readonly ledger: Map<string, LedgerUpdate>;
  funding: Exact;
};

type SumsOf = (user: Address) => AccountSums | null;

export class RowBooks {
  readonly #books = new Map<Address, Books>();
  readonly #orders = new Map<number, HistOrderRow>();
  readonly #fillsOf = new Map<number, Fill[]>();
  readonly #earnings = new Map<number, EarningRecord>();
  readonly #claimed = new Map<Address, bigint>();
  readonly #added = new Map<Address, bigint>();
  readonly #values = new Map<Address, AccountSums>();
  readonly #bars: CandleRecord[] = [];

  constructor(rows: readonly BlockRows[]) {
    for (const block of rows) this.#take(block);
  }

  #of(user: Address): Books {
    let books = this.#books.get(user);
    if (books === undefined) {
      books = { fills: [], ledger: new Map(), funding: ZERO };
      this.#books.set(user, books);
    }
    return books;
  }

  #take(block: BlockRows): void {
    for (const { row, user } of block.fills) {
      this.#of(user).fills.push(row);
      const known = this.#fillsOf.get(row.oid);
      if (known === undefined) this.#fillsOf.set(row.oid, [row]);
      else known.push(row);
    }
    for (const { first, row, user } of block.ledger) {
      this.#of(user).ledger.set(`${first.height} ${first.index}`, row);
    }
    for (const { row, user } of block.fundings) this.#of(user).funding += exact(row.usdc);
    for (const { orderId, row } of block.orders) this.#orders.set(orderId, row);
    for (const earning of block.earnings) {
      this.#earnings.set(earning.orderId, earning);
      const before = this.#added.get(earning.builder) ?? 0n;
      this.#added.set(earning.builder, before + BigInt(earning.addedFeeMicroUsdc));
    }
    this.#bars.push(...block.candles);
    for (const { stepMs: _stepMs, timeMs: _timeMs, user, value, ...sums } of block.accountValues) {
      this.#values.set(user, { ...sums, value });
    }
    for (const { amountMicroUsdc, builder } of block.claims) {
      const before = this.#claimed.get(builder) ?? 0n;
      this.#claimed.set(builder, before + BigInt(amountMicroUsdc));
    }
  }

  /**
   * Runs all checks after a block that is later than the end of every candle. Returns the number of
   * items checked by kind, so that a test can require minimums.
   */
  check(state: State, sumsOf: SumsOf): Record<string, number> {
    const fund = present(state.parameters, 'parameters').insuranceFundAddress;
    for (const account of state.accounts) {
      const books = this.#of(account.address);
      checkPositions(state, account.address, books);
      // The insurance fund also receives fees, remainders and treasury payments that have no rows.
      if (account.address === fund) continue;
      checkMoney(state, account.address, books);
      const sums = present(sumsOf(account.address) ?? undefined, 'the sums of an account');
      checkSums(state, account.address, books, sums);
      const last = present(this.#values.get(account.address), `a value of ${account.address}`);
      same(`last value of ${account.address}`, JSON.stringify(last), JSON.stringify(sums));
    }
    this.#checkBars();
    this.#checkOrders(state);
    this.#checkEarnings(state);
    const fills = [...this.#books.values()].flatMap((books) => books.fills);
    return {
      fills: fills.length,
      closing: fills.filter(({ entryPrice }) => entryPrice !== undefined).length,
      'without an order': fills.filter(({ oid }) => oid === 0).length,
      orders: this.#orders.size,
      earnings: this.#earnings.size,
      ledger: [...this.#books.values()].reduce((count, { ledger }) => count + ledger.size, 0),
      triggered: [...this.#orders.values()].filter(({ order }) => order.isTrigger).length,
      'with children': [...this.#orders.values()].filter(({ order }) => order.children.length > 0)
        .length,
    };
  }

  #checkOrders(state: State): void {
    for (const [orderId, { order, status }] of this.#orders) {
      const fills = this.#fillsOf.get(orderId) ?? [];
      const live = findOrder(state, orderId);
      const isLive = status === 'open' || status === 'triggered';
      same(`order ${orderId} lives`, String(isLive), String(live !== undefined));
      if (live !== undefined) {
        const rest = lotsOf(live.remaining, szDecimalsOf(state, live.instrumentId));
        same(`rest of ${orderId}`, order.sz, show(rest));
      }
      const hasCause = order.cancelSource !== undefined && order.cancelReason !== undefined;
      same(`cause of ${orderId}`, String(hasCause), String(status === 'cancelled'));
      const hasReason = order.rejectReason !== undefined;
      same(`reason of ${orderId}`, String(hasReason), String(status === 'rejected'));
      same(`amount of ${orderId}`, order.filledAmount ?? '0', show(sum(fills.map(valueOf))));
      same(`fee of ${orderId}`, order.fee ?? '0', show(sum(fills.map(({ fee }) => exact(fee)))));
      same(`result of ${orderId}`, order.pnl ?? '0', show(sum(fills.map(grossOf))));
    }
    for (const { orderId } of liveOrders(state)) {
      present(this.#orders.get(orderId), `the row of order ${orderId}`);
    }
  }

  /**
   * Checks that the candles of every interval include all trades, and that each candle occurs once.
   */
  #checkBars(): void {
    const trades = [...this.#books.values()].flatMap(({ fills }) =>
      fills.filter(({ crossed }) => crossed === true),
    );
    const seen = new Set<string>();
    const counts = new Map<string, number>();
    for (const { instrumentId, startMs, stepMs, trades: count } of this.#bars) {
      const key = `${stepMs} ${instrumentId} ${startMs}`;
      same(`bar ${key} was told`, String(seen.has(key)), 'false');
      seen.add(key);
      counts.set(`${stepMs}`, (counts.get(`${stepMs}`) ?? 0) + count);
    }
    for (const [stepMs, count] of counts) {
      same(`trades in bars of ${stepMs} ms`, String(count), String(trades.length));
    }
    same('steps of bars', String(counts.size), trades.length === 0 ? '0' : '3');
  }

  #checkEarnings(state: State): void {
    for (const [orderId, earning] of this.#earnings) {
      const fees = (this.#fillsOf.get(orderId) ?? []).map(({ builderFee = '0' }) =>
        exact(builderFee),
      );
      same(`earned by ${orderId}`, String(earning.feeMicroUsdc), String(sum(fees) / MICRO));
    }
    for (const [builder, added] of this.#added) {
      const { claimed, earned } = builderState(state, builder);
      same(`earned by ${builder}`, String(added), String(earned));
      same(`claimed by ${builder}`, String(this.#claimed.get(builder) ?? 0n), String(claimed));
    }
  }
}

function liveOrders(state: State): OrderSnapshot[] {
  return state.accounts.flatMap(({ address }) => [
    ...openOrders(state, address),
    ...outcomeOpenOrders(state, address),
  ]);
}

function valueOf({ px, sz }: Fill): Exact {
  return times(exact(px), exact(sz));
}

/**
 * Returns the PnL before fees; the row has the PnL after its fee. It is 0 for fills that only open.
 */
function grossOf({ builderFee = '0', closedPnl, entryPrice, fee }: Fill): Exact {
  return entryPrice === undefined ? ZERO : exact(closedPnl) + exact(fee) + exact(builderFee);
}

function checkPositions(state: State, user: Address, { fills }: Books): void {
  const account = present(state.accounts[state.accountIndex.get(user) ?? -1], 'an account');
  const held = new Map<string, Exact>();
  for (const fill of fills) {
    const key = `${fill.instrumentId} ${fill.outcome ?? ''}`;
    const before = held.get(key) ?? ZERO;
    if (fill.outcome !== undefined) same(`${user} ${key} before`, fill.startPosition, show(before));
    held.set(key, before + signedSize(fill));
  }
  const expected = new Map<string, Exact>();
  const add = (key: string, lots: number, szDecimals: number): void => {
    expected.set(key, (expected.get(key) ?? ZERO) + lotsOf(lots, szDecimals));
  };
  for (const { perp, size } of account.holdings.values()) {
    add(`${perp.definition.instrumentId} `, size, perp.definition.szDecimals);
  }
  for (const { market, no, yes } of account.outcomes.values()) {
    const { instrumentId, szDecimals } = market.definition;
    add(`${instrumentId} Yes`, yes.size, szDecimals);
    add(`${instrumentId} No`, no.size, szDecimals);
  }
  for (const key of new Set([...held.keys(), ...expected.keys()])) {
    const [have, want] = [held.get(key) ?? ZERO, expected.get(key) ?? ZERO];
    same(`${user} holds of ${key}`, show(have), show(want));
  }
}

/**
 * The side of an outcome fill is the book's, so the direction determines whether shares were added
 * or removed.
 */
function signedSize({ dir, outcome, side, sz }: Fill): Exact {
  const isAdded = outcome === undefined ? side === 'B' : /^(Buy|Split)/.test(dir);
  return isAdded ? exact(sz) : -exact(sz);
}

function lotsOf(lots: number, szDecimals: number): Exact {
  const whole = exact('1') * BigInt(lots);
  return szDecimals >= 0 ? whole / 10n ** BigInt(szDecimals) : whole * 10n ** BigInt(-szDecimals);
}

function szDecimalsOf(state: State, instrumentId: number): number {
  const perp = state.perps.get(instrumentId)?.definition;
  const market = state.outcomes.markets.get(instrumentId)?.definition;
  return present(perp ?? market, 'the instrument of a live order').szDecimals;
}

/** Checks that the cash in both sub-accounts equals the sum of fills, funding and ledger rows. */
function checkMoney(state: State, user: Address, books: Books): void {
  const account = present(state.accounts[state.accountIndex.get(user) ?? -1], 'an account');
  let cash: bigint = account.perpBalance + account.withdrawHold;
  for (const { isolatedMargin, reserved } of account.holdings.values()) {
    cash += isolatedMargin + reserved;
  }
  cash += account.outcomeBalance + account.outcomeReserved;
  const moved =
    books.funding +
    sum(books.fills.map(cashOfFill)) +
    sum([...books.ledger.values()].map((row) => cashOfLedger(row)));
  same(`money of ${user}`, show(moved), show(cash * MICRO));
}

/**
 * Checks that deposits, withdrawals, payments and realised PnL, minus the cost of shares, explain
 * the cash.
 */
function checkSums(state: State, user: Address, books: Books, sums: AccountSums): void {
  const account = present(state.accounts[state.accountIndex.get(user) ?? -1], 'an account');
  let cash: bigint = account.perpBalance + account.withdrawHold;
  cash += account.outcomeBalance + account.outcomeReserved;
  for (const { isolatedMargin, reserved } of account.holdings.values()) {
    cash += isolatedMargin + reserved;
  }
  for (const { no, yes } of account.outcomes.values()) cash += yes.cost + no.cost;
  const { fees, funding, moneyIn, moneyOut } = sums;
  const fund = present(state.parameters, 'parameters').insuranceFundAddress;
  const withFund = [...books.ledger.values()].filter(
    ({ delta }) =>
      (delta.type === 'send' && delta.destination === fund) ||
      (delta.type === 'receive' && delta.user === fund),
  );
  const moved =
    BigInt(moneyIn - moneyOut - fees + funding) * MICRO +
    sum(books.fills.map(grossOf)) +
    sum(withFund.map(cashOfLedger));
  same(`sums of ${user}`, show(moved), show(cash * MICRO));
  const traded = books.fills.filter(({ oid }) => oid !== 0).map(valueOf);
  same(`volume of ${user}`, show(BigInt(sums.volume) * MICRO), show(sum(traded)));
}

function cashOfFill(fill: Fill): Exact {
  const fees = exact(fill.fee) + exact(fill.builderFee ?? '0');
  if (fill.outcome === undefined) return grossOf(fill) - fees;
  // Splits, merges and settlements also have ledger rows, and are counted there.
  if (fill.oid === 0) return ZERO;
  return (fill.dir.startsWith('Buy') ? -valueOf(fill) : valueOf(fill)) - fees;
}

function cashOfLedger({ delta }: LedgerUpdate): Exact {
  switch (delta.type) {
    case 'deposit':
    case 'faucet':
    case 'receive':
    case 'builderRewardsClaim':
    case 'outcomeMerge':
    case 'outcomeSettlement':
      return exact(delta.amount);
    case 'send':
      return -exact(delta.amount) - exact(delta.fee);
    case 'outcomeSplit':
      return -exact(delta.amount);
    case 'withdraw':
      // A pending amount still belongs to the account, and a returned one belongs to it again.
      return delta.status === 'completed' ? -exact(delta.amount) : ZERO;
    default:
      return ZERO;
  }
}

function same(what: string, shown: string, expected: string): void {
  if (shown !== expected) throw new Error(`${what}: the rows say ${shown}, the state ${expected}`);
}
