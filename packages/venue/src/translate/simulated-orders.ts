import {
  feeTierView,
  fillRate,
  findOrder,
  marketView,
  type CommandResult,
  type EngineEvent,
  type EntryResult,
  type SignedCommand,
  type State,
  type TradeSide,
} from '@oddlot/engine';
import type { OrderResult, SimulatedOrder } from '@oddlot/protocol';
import { type Address, formatMoney } from '@oddlot/units';
import { instrumentLookup } from './actions/instrument-lookup.ts';
import { formatRate, formatSize } from './format.ts';
import { findPerp } from './info/handler.ts';

/** A command that was executed on a fork of the state, and for whom. */
export type Done = {
  readonly command: SignedCommand;
  readonly outcome: CommandResult;
  readonly events: readonly EngineEvent[];
  readonly address: Address;
  readonly before: State;
  readonly after: State;
};

/** The entries of an action with what would rest of them and what they would cost. */
export function simulatedOrders(results: readonly OrderResult[], done: Done): SimulatedOrder[] {
  const instruments = instrumentLookup(() => done.after);
  const { delays, sides: sidesBy } = gathered(done);
  return results.map((result, index) => {
    const order = orderAt(done.command, index);
    const entry = done.outcome.entries?.[index];
    const scale = order === undefined ? undefined : instruments(order.instrumentId);
    if (order === undefined || entry === undefined || scale === undefined) {
      return { ...result, restingSz: '0', ...NO_FEES };
    }
    const resting =
      done.outcome.reject === undefined ? restingSize(order, entry) : untouchedSize(done, entry);
    const sides = entry.orderId === undefined ? [] : (sidesBy.get(entry.orderId) ?? []);
    // What it takes it pays for now; untouched in the book it will pay as a maker.
    const role = sides.length > 0 ? 'taker' : resting > 0 ? 'maker' : undefined;
    const restingSz = formatSize(scale, resting);
    const feeRate = role === undefined ? '0' : formatRate(rateOf(done, order.instrumentId, role));
    return { ...result, restingSz, ...feesOf(sides), feeRate, delayMs: delays.get(index) ?? 0 };
  });
}

/** What a fill of the order pays; makers on outcome markets pay nothing (R-outcome-fee). */
function rateOf({ address, after }: Done, instrumentId: number, role: 'taker' | 'maker'): number {
  const perp = findPerp(after, instrumentId);
  if (perp !== undefined) return fillRate(feeTierView(after, address).tier, perp, role);
  return role === 'maker' ? 0 : (marketView(after, instrumentId)?.definition.takerFeeE8 ?? 0);
}

const NO_FEES = { fee: '0', feeRate: '0', builderFee: '0', delayMs: 0 };

/** The order that an entry of the command is about; a cancel has none that could trade. */
type AskedOrder = {
  readonly instrumentId: number;
  readonly size: number;
  readonly waits: boolean;
};

function orderAt(command: SignedCommand, index: number): AskedOrder | undefined {
  if (command.type === 'modifyOrder') {
    const { instrumentId, size } = command;
    return { instrumentId, size, waits: false };
  }
  const order = command.type === 'placeOrders' ? command.orders[index] : undefined;
  if (order === undefined) return undefined;
  const { instrumentId, size, trigger } = order;
  return { instrumentId, size, waits: trigger !== undefined };
}

/** Lots in the book of an order whose amend was refused. */
function untouchedSize({ after }: Done, { orderId, state }: EntryResult): number {
  const order = orderId === undefined || state !== 'open' ? undefined : findOrder(after, orderId);
  return order === undefined || order.trigger !== undefined ? 0 : order.remaining;
}

/** Lots in the book right after the order's own execution; one that waits for the mark has none. */
function restingSize({ size, waits }: AskedOrder, { clipped, filled, state }: EntryResult): number {
  if (state !== 'open' || waits) return 0;
  const cut = clipped === undefined ? 0 : clipped.from - clipped.to;
  return size - cut - filled;
}

type Gathered = {
  /** An order's side of each of its fills. It takes: whoever it meets was in the book before. */
  readonly sides: ReadonlyMap<number, readonly PaidSide[]>;
  /** How long an outcome order would wait in the delay queue, by its place in the action. */
  readonly delays: ReadonlyMap<number, number>;
};

/** What the events say of the action's entries, in one walk: there may be thousands of each. */
function gathered({ after, events }: Done): Gathered {
  const sides = new Map<number, PaidSide[]>();
  const delays = new Map<number, number>();
  for (const event of events) {
    if (event.type === 'tradeExecuted' || event.type === 'outcomeTraded') {
      const { taker } = event;
      const known = sides.get(taker.orderId);
      if (known === undefined) sides.set(taker.orderId, [taker]);
      else known.push(taker);
    } else if (event.type === 'outcomeOrderQueued' && !delays.has(event.index)) {
      delays.set(event.index, event.dueMs - after.timeMs);
    }
  }
  return { sides, delays };
}

/** What one side of a fill pays. */
type PaidSide = Pick<TradeSide, 'fee' | 'builderFee'>;

function feesOf(sides: readonly PaidSide[]): Pick<typeof NO_FEES, 'fee' | 'builderFee'> {
  let fee = 0n;
  let builderFee = 0n;
  for (const side of sides) {
    fee += side.fee;
    builderFee += side.builderFee?.amount ?? 0n;
  }
  return { fee: formatMoney(fee), builderFee: formatMoney(builderFee) };
}
