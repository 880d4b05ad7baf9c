import {
  feeTierView,
  fillRate,
  type CommandOutcome,
  type EngineEvent,
  type EntryOutcome,
  type SignedCommand,
  type State,
  type TradeSide,
} from '@oddlot/engine';
import type { OrderResult, SimulatedOrder } from '@oddlot/protocol';
import type { Address } from '@oddlot/units';
import type { PerpLookup } from './actions/perp-lookup.ts';
import { formatMoney, formatRate, formatSize } from './format.ts';

/** A command that was executed on a fork of the state, and for whom. */
export type Done = {
  readonly command: SignedCommand;
  readonly outcome: CommandOutcome;
  readonly events: readonly EngineEvent[];
  readonly address: Address;
  readonly before: State;
  readonly after: State;
};

/** The entries of an action with what would rest of them and what they would cost. */
export function simulatedOrders(
  results: readonly OrderResult[],
  done: Done,
  perps: PerpLookup,
): SimulatedOrder[] {
  return results.map((result, index) => {
    const order = orderAt(done.command, index);
    const entry = done.outcome.entries?.[index];
    const perp = order === undefined ? undefined : perps(order.instrumentId);
    if (order === undefined || entry === undefined || perp === undefined) {
      return { ...result, restingSz: '0', ...NO_FEES };
    }
    const resting = restingSize(order, entry);
    const sides = ownSides(done.events, entry.orderId);
    // What it takes it pays for now; untouched in the book it will pay as a maker.
    const role = sides.length > 0 ? 'taker' : resting > 0 ? 'maker' : undefined;
    const { tier } = feeTierView(done.after, done.address);
    const feeRate = role === undefined ? '0' : formatRate(fillRate(tier, perp, role));
    return { ...result, restingSz: formatSize(perp, resting), ...feesOf(sides), feeRate };
  });
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

/** Lots in the book right after the order's own execution; one that waits for the mark has none. */
function restingSize(
  { size, waits }: AskedOrder,
  { clipped, filled, state }: EntryOutcome,
): number {
  if (state !== 'open' || waits) return 0;
  const cut = clipped === undefined ? 0 : clipped.from - clipped.to;
  return size - cut - filled;
}

/** The order's side of each of its fills. It takes: whoever it meets was in the book before. */
function ownSides(events: readonly EngineEvent[], orderId: number | undefined): TradeSide[] {
  return events.flatMap((event) =>
    event.type === 'tradeExecuted' && event.taker.orderId === orderId ? [event.taker] : [],
  );
}

function feesOf(sides: readonly TradeSide[]): Omit<typeof NO_FEES, 'feeRate'> {
  let fee = 0n;
  let builderFee = 0n;
  for (const side of sides) {
    fee += side.fee;
    builderFee += side.builderFee?.amount ?? 0n;
  }
  return { fee: formatMoney(fee), builderFee: formatMoney(builderFee), delayMs: 0 };
}
