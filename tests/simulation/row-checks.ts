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
import type { BlockRows, EarningRecord } from '../../packages/venue/src/history/rows/block-rows.ts';
import { type Exact, exact, MICRO, show, sum, times } from '../support/exact.ts';

/**
 * What rows must add up to, computed from their texts alone and compared with the engine's state: who
 * keeps books by the history comes to the micro-USDC to what the venue says they have.
 */

const ZERO = exact('0');

/** All that an account's rows say. */
type Books = {
  readonly fills: Fill[];
  readonly ledger: Map<string, LedgerUpdate>;
  funding: Exact;
};

export class RowBooks {
  readonly #books = new Map<Address, Books>();
  readonly #orders = new Map<number, HistOrderRow>();
  readonly #fillsOf = new Map<number, Fill[]>();
  readonly #earnings = new Map<number, EarningRecord>();
  readonly #claimed = new Map<Address, bigint>();
  readonly #added = new Map<Address, bigint>();

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
    for (const { amountMicroUsdc, builder } of block.claims) {
      const before = this.#claimed.get(builder) ?? 0n;
      this.#claimed.set(builder, before + BigInt(amountMicroUsdc));
    }
  }

  /** Everything; returns how much there was to judge, so that a test can demand some. */
  check(state: State): Record<string, number> {
    const fund = present(state.parameters, 'parameters').insuranceFundAddress;
    for (const account of state.accounts) {
      const books = this.#of(account.address);
      checkPositions(state, account.address, books);
      // The fund also has what nobody's row tells: fees, remainders and what the treasury adds.
      if (account.address !== fund) checkMoney(state, account.address, books);
    }
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
      same(`amount of ${orderId}`, order.filledAmount ?? '0', show(sum(fills.map(valueOf))));
      same(`fee of ${orderId}`, order.fee ?? '0', show(sum(fills.map(({ fee }) => exact(fee)))));
      same(`result of ${orderId}`, order.pnl ?? '0', show(sum(fills.map(grossOf))));
    }
    for (const live of liveOrders(state)) {
      const { order } = present(this.#orders.get(live.orderId), `the row of order ${live.orderId}`);
      same(`rest of ${live.orderId}`, order.sz, order.sz === '' ? '' : sizeText(order.sz, live));
    }
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

/** The lots of a live order in the decimals of its row. */
function sizeText(shown: string, { remaining }: OrderSnapshot): string {
  const lots = exact(shown);
  const digits = lots === ZERO ? '0' : shown.replace(/[.-]/g, '').replace(/^0+|0+$/g, '');
  const isSame =
    digits === String(remaining).replace(/0+$/, '') || (remaining === 0 && lots === ZERO);
  return isSame ? shown : `${remaining} lots`;
}

function valueOf({ px, sz }: Fill): Exact {
  return times(exact(px), exact(sz));
}

/** Before fees: what is shown is net of them, and 0 on fills that only open. */
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

/** A side of an outcome fill is about the book; whether shares came or went is in its direction. */
function signedSize({ dir, outcome, side, sz }: Fill): Exact {
  const isAdded = outcome === undefined ? side === 'B' : /^(Buy|Split)/.test(dir);
  return isAdded ? exact(sz) : -exact(sz);
}

function lotsOf(lots: number, szDecimals: number): Exact {
  const scale = exact('1000000000') * BigInt(lots);
  return szDecimals >= 0
    ? scale / 1_000_000_000n / 10n ** BigInt(szDecimals)
    : (scale / 1_000_000_000n) * 10n ** BigInt(-szDecimals);
}

/** All cash of both sub-accounts is what fills, funding and the ledger moved. */
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

function cashOfFill(fill: Fill): Exact {
  const fees = exact(fill.fee) + exact(fill.builderFee ?? '0');
  if (fill.outcome === undefined) return grossOf(fill) - fees;
  // Splits, merges and settlements have ledger rows.
  if (fill.oid === 0) return ZERO;
  return (fill.dir.startsWith('Buy') ? -valueOf(fill) : valueOf(fill)) - fees;
}

function cashOfLedger({ delta }: LedgerUpdate): Exact {
  switch (delta.type) {
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
      // What is held is still the account's, what was returned again.
      return delta.status === 'completed' ? -exact(delta.amount) : ZERO;
    default:
      return ZERO;
  }
}

function same(what: string, told: string, expected: string): void {
  if (told !== expected) throw new Error(`${what}: the rows say ${told}, the state ${expected}`);
}
