import type { EngineEvent, TradeExecuted, TradeSide } from '@oddlot/engine';
import type { Address } from '@oddlot/units';
import { type Prices, type Purse, worth } from './shot.ts';
import type { Entry } from './venue.ts';

/**
 * Where an account's change over one entry comes from. What prices did to positions held, what its
 * orders traded, funding and transfers are its own doing and explained by events; the rest is what a
 * bankruptcy did to it, whatever way the engine books that.
 */
export type Change = {
  /** From the last judged marks to this entry's. */
  readonly total: bigint;
  /** Fills of its own orders at their prices, valued at this entry's mark, less fees. */
  readonly fills: bigint;
  readonly funding: bigint;
  /** What came in less what went out. */
  readonly moved: bigint;
  /** What positions held made of the change of prices. */
  readonly carried: bigint;
  /** The rest: closes at prices that no book made, and payments of and to the fund. */
  readonly relief: bigint;
};

export function marksOf({ after }: Entry): Prices {
  return (id) => after.markets.get(id)?.mark ?? 0;
}

/** An instrument that was never judged counts at the mark it has. */
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
  for (const [account, after] of entry.after.purses) {
    const before = entry.before.purses.get(account);
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

/** Both sides of a trade with the signed size of each. */
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

function carriedBy({ held }: Purse, marks: Prices, judged: Prices): bigint {
  let sum = 0n;
  for (const { id, size } of held) sum += BigInt(size) * BigInt(marks(id) - judged(id));
  return sum;
}
