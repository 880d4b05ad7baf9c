import type { AssetPosition, ClearinghouseState } from '@oddlot/sdk';
import {
  add,
  compare,
  divide,
  isDecimal,
  magnitude,
  multiply,
  roundTo,
  sign,
  subtract,
  sum,
} from '../lib/decimal.ts';

/**
 * The venue tells the state of an account when something is done to it, and marks move all the time. This is what
 * it would say at other marks, to the last digit. What depends on more than the mark of a position (the free
 * money, ratios, liquidation prices) is not worked out here: it stays as the venue said it last.
 */

/** Decimals of USDC on the wire. */
const USDC_DECIMALS = 6;
const RATIO_DECIMALS = 6;

/** A perp account at other marks, by instrument id; what has not changed is the same object as before. */
export function stateAtMarks(
  told: ClearinghouseState,
  marks: ReadonlyMap<string, string>,
): ClearinghouseState {
  const assetPositions = told.assetPositions.map((row) => rowAtMark(row, marks));
  if (assetPositions.every((row, at) => row === told.assetPositions[at])) return told;
  const pairs = assetPositions.map((row, at) => [row, told.assetPositions[at]!] as const);
  const cross = pairs.filter(([row]) => row.position.leverage.type === 'Cross');
  return {
    ...told,
    assetPositions,
    marginSummary: summaryAtMarks(told.marginSummary, pairs),
    crossMarginSummary: summaryAtMarks(told.crossMarginSummary, cross),
    accountValuePlusWithdrawHold: add(
      told.accountValuePlusWithdrawHold,
      change(pairs, 'unrealizedPnl'),
    ),
  };
}

/** Shares at other YES prices, by instrument id: a NO share is worth the rest of one. */
export function sharesAtMarks(
  told: ClearinghouseState,
  marks: ReadonlyMap<string, string>,
): ClearinghouseState {
  const assetPositions = told.assetPositions.map((row) => sharesAtMark(row, marks));
  if (assetPositions.every((row, at) => row === told.assetPositions[at])) return told;
  const pairs = assetPositions.map((row, at) => [row, told.assetPositions[at]!] as const);
  const marginSummary = summaryAtMarks(told.marginSummary, pairs);
  return {
    ...told,
    assetPositions,
    marginSummary,
    crossMarginSummary: { ...marginSummary },
    accountValuePlusWithdrawHold: marginSummary.accountValue,
  };
}

function sharesAtMark(row: AssetPosition, marks: ReadonlyMap<string, string>): AssetPosition {
  const { position } = row;
  const { marginUsed: cost, szi } = position;
  const yes = marks.get(position.asset);
  if (!isDecimal(yes)) return row;
  const markPx = sign(szi) > 0 ? yes : subtract('1', yes);
  if (isDecimal(position.markPx) && compare(markPx, position.markPx) === 0) return row;
  const positionValue = roundTo(multiply(magnitude(szi), markPx), USDC_DECIMALS);
  const unrealizedPnl = subtract(positionValue, cost);
  const earned = divide(unrealizedPnl, cost);
  return {
    ...row,
    position: {
      ...position,
      markPx,
      positionValue,
      unrealizedPnl,
      returnOnEquity: earned === undefined ? '0' : roundTo(earned, RATIO_DECIMALS),
    },
  };
}

function rowAtMark(row: AssetPosition, marks: ReadonlyMap<string, string>): AssetPosition {
  const { position } = row;
  const mark = marks.get(position.asset);
  if (!isDecimal(mark) || !isDecimal(position.markPx) || compare(mark, position.markPx) === 0) {
    return row;
  }
  const { leverage, szi } = position;
  // The entry price is an average and may be rounded; the profit at the mark before is not.
  const gained = multiply(szi, subtract(mark, position.markPx));
  const unrealizedPnl = add(position.unrealizedPnl, gained);
  const positionValue = multiply(magnitude(szi), mark);
  const cost = magnitude(subtract(multiply(szi, mark), unrealizedPnl));
  const earned = divide(multiply(unrealizedPnl, String(leverage.value)), cost);
  const isIsolated = leverage.type === 'Isolated';
  return {
    ...row,
    position: {
      ...position,
      markPx: mark,
      unrealizedPnl,
      positionValue,
      marginUsed: isIsolated
        ? add(position.marginUsed, gained)
        : marginOf(positionValue, leverage.value),
      returnOnEquity: earned === undefined ? '0' : roundTo(earned, RATIO_DECIMALS),
    },
  };
}

/** Value over leverage, up to the last decimal of USDC. */
function marginOf(value: string, leverage: number): string {
  const down = divide(value, String(leverage), USDC_DECIMALS) ?? '0';
  return compare(multiply(down, String(leverage)), value) < 0 ? add(down, '0.000001') : down;
}

type Pairs = readonly (readonly [AssetPosition, AssetPosition])[];
type Figure = 'unrealizedPnl' | 'positionValue' | 'marginUsed';

/** What a figure of all positions together has gained. */
function change(pairs: Pairs, figure: Figure): string {
  return sum(pairs.map(([row, before]) => subtract(row.position[figure], before.position[figure])));
}

/** `totalRawUsd` is what does not depend on marks. */
function summaryAtMarks(
  told: ClearinghouseState['marginSummary'],
  pairs: Pairs,
): ClearinghouseState['marginSummary'] {
  return {
    ...told,
    accountValue: add(told.accountValue, change(pairs, 'unrealizedPnl')),
    totalNtlPos: add(told.totalNtlPos, change(pairs, 'positionValue')),
    totalMarginUsed: add(told.totalMarginUsed, change(pairs, 'marginUsed')),
  };
}
