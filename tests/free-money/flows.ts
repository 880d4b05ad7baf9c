import type { EngineEvent, TradeExecuted, TradeSide } from '@oddlot/engine';
import type { Address } from '@oddlot/units';
import { type Prices, type Funds, worth } from './state-copy.ts';
import type { Entry } from './venue.ts';

/**
 * An account's change in one entry, split by cause. Events explain the effects of price changes on
 * positions held, fills, funding and transfers. The remainder is the effect of a bankruptcy,
 * however the engine books it.
 */
export type Change = {
  /** The change from the last valid marks to this entry's marks. */
  readonly total: bigint;
  /** The effect of the account's fills at their prices, valued at this entry's mark, minus fees. */
  readonly fills: bigint;
  readonly funding: bigint;
  readonly moved: bigint;
  /** The effect of price changes on positions held. */
  readonly carried: bigint;
  /**
   * The rest of the change: closes at prices outside the book, and payments to and from the
   * insurance fund.
   */
  readonly relief: bigint;
};

export function marksOf({ after }: Entry): Prices {
  return (id) => after.markets.get(id)?.mark ?? 0;
}

/** Returns the last valid marks. An instrument that has none is valued at its current mark. */
export function judgedMarksOf({ after, judged }: Entry): Prices {
  return (id) => judged.get(id) ?? after.markets.get(id)?.mark ?? 0;
}

export function changesOf(entry: Entry): Map<Address, Change> {
  const marks = marksOf(entry);
  const judged = judgedMarksOf(entry);
  const flows = new Map<Address, { fills: bigint; funding: bigint; moved: bigint }>();
  const flow = (account: Address) => {
    const known = flows.get(account) ?? { fills: 0n, funding: 0n, moved: 0n };
    flows.set(account, known);
    return known;
  };
  for (const event of entry.result.events) note(event, flow, marks);
  const changes = new Map<Address, Change>();
  for (const [account, after] of entry.after.fundsByAccount) {
    const before = entry.before.fundsByAccount.get(account);
    const total = worth(after, marks) - (before === undefined ? 0n : worth(before, judged));
    const carried = before === undefined ? 0n : carriedBy(before, marks, judged);
    const { fills, funding, moved } = flow(account);
    const relief = total - fills - funding - moved - carried;
    changes.set(account, { total, fills, funding, moved, carried, relief });
  }
  return changes;
}

type Flow = (account: Address) => { fills: bigint; funding: bigint; moved: bigint };

function note(event: EngineEvent, flow: Flow, marks: Prices): void {
  switch (event.type) {
    case 'tradeExecuted':
      for (const { side, signed } of sidesOf(event)) {
        const gain = BigInt(signed) * BigInt(marks(event.instrumentId) - event.price);
        flow(side.account).fills += gain - side.fee - (side.builderFee?.amount ?? 0n);
      }
      break;
    case 'fundingPaid':
      flow(event.account).funding += event.amount;
      break;
    case 'faucetCredited':
      flow(event.account).moved += event.amount;
      break;
    case 'tokenSent':
      flow(event.account).moved -= event.amount + event.fee;
      flow(event.destination).moved += event.amount;
      break;
    default:
  }
}

/** Returns both sides of a trade, each with its signed size. */
export function sidesOf({ maker, size, taker, takerIsBuy }: TradeExecuted): readonly {
  readonly side: TradeSide;
  readonly signed: number;
}[] {
  const signed = takerIsBuy ? size : -size;
  return [
    { side: taker, signed },
    { side: maker, signed: -signed },
  ];
}

function carriedBy({ held }: Funds, marks: Prices, judged: Prices): bigint {
  let sum = 0n;
  for (const { id, size } of held) sum += BigInt(size) * BigInt(marks(id) - judged(id));
  return sum;
}
