import type { SimulatedAction } from '@oddlot/sdk';
import { add, divide, isDecimal, larger, multiply, sign, subtract } from '../../../lib/decimal.ts';
import type { Draft, Ticket } from './draft.ts';

/** What an order costs or brings, by the venue's own reckoning where there is one. */
export type Outlook = {
  /** What trades at once. */
  readonly filled: string;
  readonly average: string | undefined;
  /** What waits in the book. */
  readonly resting: string;
  readonly fee: string;
  readonly delayMs: number;
  /** Of a purchase, with its fee; of a sale what comes in, without it. */
  readonly total: string;
  /** What the venue holds back for a purchase until it is done: all of it at its limit, with the fee there. */
  readonly setAside: string;
  /** If the leg pays 1, and if it pays nothing: of a purchase. */
  readonly ifRight: string;
  readonly ifWrong: string;
  /** Of what is spent, as a fraction: of a purchase. */
  readonly gain: string | undefined;
};

export function outlookOf(
  ticket: Ticket,
  draft: Draft,
  simulated: SimulatedAction | undefined,
): Outlook | undefined {
  const { price, quote, shares } = draft;
  if (draft.entry === undefined || price === undefined) return undefined;
  const order = simulated?.accepted === true ? simulated.orders[0] : undefined;
  const filled = order?.filledSz ?? (quote === undefined ? '0' : shares);
  const average = order === undefined ? quote?.average : (order.avgPx ?? undefined);
  const fee = order === undefined ? (quote?.fee ?? '0') : add(order.fee, order.builderFee);
  // A market order has no rest to speak of: what does not fill is cancelled.
  const resting = ticket.kind === 'market' ? '0' : subtract(shares, filled);
  const traded = isDecimal(average) ? multiply(filled, average) : '0';
  const value = add(traded, multiply(resting, price));
  const counted = add(filled, resting);
  const isBuy = ticket.intent === 'buy';
  const total = isBuy ? add(value, fee) : subtract(value, fee);
  const ifRight = subtract(counted, total);
  return {
    filled,
    average,
    resting,
    fee,
    delayMs: order?.delayMs ?? 0,
    total,
    setAside: larger(draft.reserve ?? '0', total),
    ifRight,
    ifWrong: subtract('0', total),
    gain: isBuy && sign(total) > 0 ? divide(ifRight, total, 4) : undefined,
  };
}
