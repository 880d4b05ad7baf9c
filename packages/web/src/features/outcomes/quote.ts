import type { Level } from '@oddlot/sdk';
import {
  add,
  compare,
  divide,
  larger,
  multiply,
  roundTo,
  sign,
  smaller,
  subtract,
} from '../../lib/decimal.ts';

/**
 * The price and size steps of a market. Outcome markets have no market orders, so a limit order
 * beyond the last required level takes their place.
 */

export type Grid = Readonly<{ tick: string; sizeDecimals: number; takerFeeRate: string }>;

export type Quote = {
  readonly shares: string;
  readonly limit: string;
  readonly average: string | undefined;
  readonly value: string;
  readonly fee: string;
  readonly reserve: string;
  readonly isWhole: boolean;
};

const MICRO = 6;
const SHARE_DECIMALS = 12;
const ROOM_TICKS = '2';

export function quoteBuyFor(money: string, asks: readonly Level[], grid: Grid): Quote | undefined {
  let offered = '0';
  let before: { readonly size: string; readonly limit: string } | undefined;
  for (const { px, sz } of asks) {
    const limit = limitFor(px, grid, 1);
    const size = sharesFor(money, limit, grid);
    if (before !== undefined && compare(size, offered) <= 0) {
      // With the limit needed for the next level, the money would buy fewer shares.
      return walk(before.size, asks, grid, { limit: before.limit, isWhole: true });
    }
    offered = add(offered, sz);
    if (compare(size, offered) <= 0) return walk(size, asks, grid, { limit, isWhole: true });
    before = { size: roundTo(offered, grid.sizeDecimals, 'down'), limit };
  }
  return before && walk(before.size, asks, grid, { limit: before.limit, isWhole: false });
}

export function sharesFor(money: string, limit: string, grid: Grid): string {
  const shares = divide(money, reserveEach(limit, grid), SHARE_DECIMALS) ?? '0';
  return roundTo(shares, grid.sizeDecimals, 'down');
}

export function reserveOf(shares: string, limit: string, grid: Grid): string {
  return roundUp(multiply(shares, reserveEach(limit, grid)));
}

export function quoteBuyShares(
  shares: string,
  asks: readonly Level[],
  grid: Grid,
): Quote | undefined {
  return quoteShares(shares, asks, grid, 1);
}

export function quoteSell(shares: string, bids: readonly Level[], grid: Grid): Quote | undefined {
  return quoteShares(shares, bids, grid, -1);
}

function quoteShares(
  shares: string,
  levels: readonly Level[],
  grid: Grid,
  direction: 1 | -1,
): Quote | undefined {
  let left = shares;
  let last: string | undefined;
  for (const { px, sz } of levels) {
    if (sign(left) <= 0) break;
    last = px;
    left = subtract(left, sz);
  }
  if (last === undefined) return undefined;
  const limit = limitFor(last, grid, direction);
  return walk(shares, levels, grid, { limit, isWhole: sign(left) <= 0 });
}

function walk(
  shares: string,
  levels: readonly Level[],
  grid: Grid,
  facts: { readonly limit: string; readonly isWhole: boolean },
): Quote {
  let left = shares;
  let [value, fee] = ['0', '0'];
  for (const { px, sz } of levels) {
    if (sign(left) <= 0) break;
    const taken = smaller(left, sz);
    value = add(value, multiply(taken, px));
    fee = add(fee, multiply(taken, feeEach(px, grid)));
    left = subtract(left, taken);
  }
  const filled = subtract(shares, left);
  return {
    shares,
    ...facts,
    average: sign(filled) > 0 ? divide(value, filled, MICRO) : undefined,
    value,
    fee: roundUp(fee),
    reserve: reserveOf(shares, facts.limit, grid),
  };
}

function feeEach(price: string, { takerFeeRate }: Grid): string {
  return multiply(takerFeeRate, multiply(price, subtract('1', price)));
}

function reserveEach(limit: string, grid: Grid): string {
  return add(limit, feeEach(limit, grid));
}

function limitFor(last: string, { tick }: Grid, direction: 1 | -1): string {
  const room = multiply(tick, ROOM_TICKS);
  const limit = direction > 0 ? add(last, room) : subtract(last, room);
  return larger(tick, smaller(limit, subtract('1', tick)));
}

function roundUp(amount: string): string {
  const down = roundTo(amount, MICRO, 'down');
  return compare(down, amount) === 0 ? down : add(down, '0.000001');
}
