import { splitEvents } from '@oddlot/translate/read-models/block-events';
import type {
  EngineEvent,
  LiquidationStep,
  PerpDefinition,
  SharesOperated,
  SharesSettled,
  State,
} from '@oddlot/engine';
import type { Fill, Liquidation } from '@oddlot/protocol';
import {
  divExact,
  formatMoney,
  type Hash,
  microUsdc,
  notional,
  present,
  subUsdc,
} from '@oddlot/units';
import type { AppliedBlock } from '@oddlot/replica/block';
import { causeHash } from '@oddlot/translate/event-to-stream';
import {
  formatAveragePrice,
  formatPrice,
  formatSize,
  priceDecimals,
} from '@oddlot/translate/format';
import type { FillRecord, LiquidationRecord } from './block-rows.ts';
import {
  closedBy,
  isBid,
  LEG_TEXT,
  namedInstrument,
  roePercent,
  type TradedSide,
  tradedSides,
} from './traded-sides.ts';
import { findPerp } from '@oddlot/translate/info/info-context';

/** The fields that rows for trades have in common with rows for other changes in holdings. */
type Parts = Pick<
  TradedSide,
  | 'account'
  | 'instrumentId'
  | 'isBuy'
  | 'reduceOnly'
  | 'price'
  | 'size'
  | 'startPosition'
  | 'closed'
  | 'hash'
  | 'marginMode'
  | 'leverage'
  | 'leg'
>;

/**
 * The common fields, and the fields that differ between trades and other changes. If there is no
 * order, the ids are 0, and there is no taker or maker.
 */
type Filled = { readonly parts: Parts; readonly dir: string; readonly order?: TradedSide };

/**
 * Returns the fills of a block in order. Every change in a position or in shares has a row, even if
 * there was no trade, so that the signed sizes of an account's rows add up to its holdings.
 */
export function fillRecords(state: State, block: AppliedBlock): FillRecord[] {
  const records: FillRecord[] = [];
  const { others } = splitEvents(block);
  for (const [index, sides] of tradedSides(block).entries()) {
    const event = present(others[index], 'the event of its sides');
    for (const filled of sides.length > 0 ? sides.map(filledOf) : filledBy(state, block, event)) {
      const { account: user, instrumentId } = filled.parts;
      const instrument = namedInstrument(state, instrumentId);
      const { accountType } = instrument;
      const row = fillRow(instrument, filled, block.timeMs);
      records.push({ user, accountType, instrumentId, row });
    }
  }
  return records;
}

function filledOf(side: TradedSide): Filled {
  return { parts: side, dir: directionOf(side), order: side };
}

/** Returns the changes in holdings that did not result from a trade. */
function filledBy(state: State, block: AppliedBlock, event: EngineEvent): readonly Filled[] {
  switch (event.type) {
    case 'positionTraded': {
      const { size, startPosition } = event;
      const isBuy = size > 0;
      const parts: Parts = {
        ...event,
        isBuy,
        size: Math.abs(size),
        // Only the insurance fund can increase a position through a take-over; all other accounts
        // reduce theirs.
        reduceOnly: startPosition !== 0 && isBuy !== startPosition > 0,
        closed: closedBy(event),
        hash: causeHash(block, event.commandIndex),
        leg: undefined,
      };
      return [{ parts, dir: isBuy ? 'Buy' : 'Sell' }];
    }
    case 'sharesOperated':
      return operated(state, event, causeHash(block, event.commandIndex));
    case 'sharesSettled':
      return [settled(state, event, event.txHash ?? causeHash(block, event.commandIndex))];
    default:
      return UNFILLED;
  }
}

/** Shared by all events that do not change any holding. */
const UNFILLED: readonly Filled[] = [];

function directionOf({ isBuy, leg, reduceOnly }: TradedSide): string {
  if (leg === undefined) return isBuy ? 'Buy' : 'Sell';
  return `${reduceOnly ? 'Sell' : 'Buy'} ${LEG_TEXT[leg]}`;
}

/** Each outcome is opened or closed at 0.50 (R-split-merge). */
function operated(state: State, event: SharesOperated, hash: Hash): readonly Filled[] {
  const { account, amount, instrumentId, kind, realised, size, startSizes } = event;
  const isMerge = kind === 'merge';
  const price = unitOf(state, instrumentId) / 2;
  const legs = ['yes', 'no'] as const;
  return legs.map((leg, at) => {
    const gain = realised[at as 0 | 1];
    // Half of what a merge pays equals the cost of the outcome plus the gain.
    const cost = subUsdc(microUsdc(divExact(amount, 2n)), gain);
    const parts: Parts = {
      account,
      instrumentId,
      isBuy: isBid(leg, isMerge),
      reduceOnly: isMerge,
      price,
      size,
      startPosition: startSizes[at as 0 | 1],
      closed: isMerge ? { size, cost, realised: gain } : undefined,
      hash,
      marginMode: 'cross',
      leverage: 1,
      leg,
    };
    return { parts, dir: isMerge ? 'Merge' : 'Split' };
  });
}

/** The payout of an outcome closes the entire holding (R-settlement). */
function settled(state: State, event: SharesSettled, hash: Hash): Filled {
  const { account, amount, cost, fraction, instrumentId, leg, size } = event;
  const parts: Parts = {
    account,
    instrumentId,
    isBuy: isBid(leg, true),
    reduceOnly: true,
    price: leg === 'yes' ? fraction : unitOf(state, instrumentId) - fraction,
    size,
    startPosition: size,
    closed: { size, cost, realised: subUsdc(amount, cost) },
    hash,
    marginMode: 'cross',
    leverage: 1,
    leg,
  };
  return { parts, dir: 'Settlement' };
}

/** Returns a price of 1.00 USDC in price units. */
function unitOf(state: State, instrumentId: number): number {
  return 10 ** priceDecimals(namedInstrument(state, instrumentId).scale);
}

/** All fields of a fill. Absent fields are undefined, and JSON omits them. */
type AllFields = {
  readonly [Key in Exclude<keyof Fill, 'title' | 'slug'>]-?: Fill[Key] | undefined;
};

function fillRow(
  { coin, instrumentId, scale, symbol, wireType }: ReturnType<typeof namedInstrument>,
  { dir, order, parts }: Filled,
  time: number,
): Fill {
  const { closed, leg, leverage } = parts;
  const fee = order?.fee ?? 0n;
  const builderFee = order?.builderFee?.amount;
  const net = closed === undefined ? 0n : closed.realised - fee - (builderFee ?? 0n);
  const fields: AllFields = {
    coin,
    symbol,
    px: formatPrice(scale, parts.price),
    sz: formatSize(scale, parts.size),
    side: parts.isBuy ? 'B' : 'A',
    time,
    startPosition: formatSize(scale, parts.startPosition),
    dir,
    reduceOnly: parts.reduceOnly,
    closedPnl: formatMoney(net),
    hash: parts.hash,
    oid: order?.orderId ?? 0,
    crossed: order === undefined ? null : order.role === 'Taker',
    fee: formatMoney(fee),
    tid: order?.tradeId ?? 0,
    feeToken: 'USDC',
    twapId: null,
    tradeSide: order?.role ?? null,
    marginMode: parts.marginMode === 'isolated' ? 'Isolated' : 'Cross',
    leverage,
    instrumentId,
    instrumentType: wireType,
    marketType: wireType,
    entryPrice:
      closed === undefined ? undefined : formatAveragePrice(scale, closed.cost, closed.size),
    roe: closed === undefined ? undefined : roePercent(closed, leverage),
    cloid: order?.clientOrderId ?? null,
    builderFee: builderFee === undefined ? undefined : formatMoney(builderFee),
    outcome: leg === undefined ? undefined : LEG_TEXT[leg],
  };
  return fields as Fill;
}

type Running = { readonly event: LiquidationStep; lots: number; notional: bigint };

/**
 * Returns one record per liquidation step, for the amount of the position it closed
 * (R-liquidation). The trades of a step follow it in the events; a step without trades has no
 * record.
 */
export function liquidationRecords(state: State, block: AppliedBlock): LiquidationRecord[] {
  const records: LiquidationRecord[] = [];
  let running: Running | undefined;
  const end = (): void => {
    if (running !== undefined && running.lots > 0) records.push(recordOf(state, block, running));
    running = undefined;
  };
  for (const event of splitEvents(block).others) {
    if (event.type === 'liquidationStep') {
      end();
      if (event.step !== 'cancel') running = { event, lots: 0, notional: 0n };
    } else if (running !== undefined) {
      add(running, event);
    }
  }
  end();
  return records;
}

/**
 * The counterparty of a take-over and the opposite outcome of a netted pair were not liquidated, so
 * neither is added.
 */
function add(running: Running, event: EngineEvent): void {
  const { account, positions } = running.event;
  const [position] = positions;
  if (position === undefined) return;
  if (event.type === 'tradeExecuted' && event.isLiquidation) {
    if (event.taker.account !== account || event.instrumentId !== position.instrumentId) return;
    running.lots += event.size;
    running.notional += notional(event.price, event.size);
  } else if (event.type === 'positionTraded') {
    const isHis = event.account === account && event.instrumentId === position.instrumentId;
    if (!isHis || Math.sign(event.size) === Math.sign(position.size)) return;
    running.lots += Math.abs(event.size);
    running.notional += notional(event.price, Math.abs(event.size));
  }
}

function recordOf(state: State, block: AppliedBlock, running: Running): LiquidationRecord {
  const { account: user, commandIndex, positions } = running.event;
  const { instrumentId, size } = present(positions[0], 'the position of a step');
  const perp: PerpDefinition = present(findPerp(state, instrumentId), 'the perp of a position');
  const { event, lots, notional: value } = running;
  const row: Liquidation = {
    time: block.timeMs,
    hash: causeHash(block, commandIndex),
    user,
    coin: perp.name,
    instrumentId,
    side: size > 0 ? 'A' : 'B',
    sz: formatSize(perp, lots),
    px: formatAveragePrice(perp, value, lots),
    ntl: formatMoney(value),
    step: event.step as Liquidation['step'],
    leverageType: event.marginMode === 'isolated' ? 'Isolated' : 'Cross',
    markPx: formatPrice(perp, event.mark),
    accountValue: formatMoney(event.equity),
    maintenanceMargin: formatMoney(event.maintenance),
  };
  return { instrumentId, row };
}
