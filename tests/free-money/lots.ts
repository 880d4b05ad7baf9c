import type { Deleveraged, EngineEvent, PositionTraded } from '@oddlot/engine';
import type { Address } from '@oddlot/units';
import { demand } from './finding.ts';
import { sidesOf } from './flows.ts';
import type { StateCopy } from './state-copy.ts';

/**
 * Tracks every position's lots through one log entry, and distinguishes lots that this entry opened
 * from older ones. A reduction closes the newest lots first, but deleveraging may close only the
 * old lots (R-adl).
 */

type Lots = { sign: number; old: number; fresh: number };

/** An account's lots that were closed against a bankrupt position. */
export type Closed = {
  readonly event: Deleveraged;
  readonly isLong: boolean;
};

export class LotBook {
  readonly #lots = new Map<string, Lots>();
  readonly #hedged = new Set<Address>();
  readonly #fund: Address;
  /** The entry's deleveraging events whose position change has not been seen yet. */
  readonly #notices: Deleveraged[];
  readonly closed: Closed[] = [];

  constructor(before: StateCopy, events: readonly EngineEvent[], fund: Address) {
    this.#fund = fund;
    this.#notices = events.filter((event) => event.type === 'deleveraged');
    for (const { address, held, isHedged } of before.fundsByAccount.values()) {
      if (isHedged) this.#hedged.add(address);
      for (const { id, leg, size } of held) {
        if (size === 0) continue;
        const lots = { sign: Math.sign(size), old: Math.abs(size), fresh: 0 };
        this.#lots.set(keyOf(address, id, leg), lots);
      }
    }
  }

  note(event: EngineEvent): void {
    if (event.type === 'tradeExecuted') {
      for (const { side, signed } of sidesOf(event)) {
        const isHedged = this.#hedged.has(side.account);
        const leg = isHedged && signed > 0 === side.reduceOnly ? 1 : 0;
        this.#trade(keyOf(side.account, event.instrumentId, leg), signed);
      }
    }
    if (event.type === 'positionTraded') this.#offBook(event);
  }

  /**
   * Returns the old lots that accounts still hold on one side, excluding the fund and one other
   * account.
   */
  oldLots(id: number, isLong: boolean, except: Address): number {
    let sum = 0;
    for (const [key, { old, sign }] of this.#lots) {
      const [account, instrument] = key.split(' ');
      if (Number(instrument) !== id || sign > 0 !== isLong) continue;
      if (account !== this.#fund && account !== except) sum += old;
    }
    return sum;
  }

  /** Returns the old lots that an account still holds on one side. */
  oldOf(account: Address, id: number, isLong: boolean): number {
    let sum = 0;
    for (const leg of [0, 1] as const) {
      const lots = this.#lots.get(keyOf(account, id, leg));
      if (lots !== undefined && lots.sign > 0 === isLong) sum += lots.old;
    }
    return sum;
  }

  #offBook(event: PositionTraded): void {
    const { account, instrumentId: id, price, size, startPosition } = event;
    const isShortLeg = startPosition === 0 ? size < 0 : startPosition < 0;
    const key = keyOf(account, id, this.#hedged.has(account) && isShortLeg ? 1 : 0);
    const at = this.#notices.findIndex(
      (notice) =>
        notice.account === account &&
        notice.instrumentId === id &&
        notice.size === Math.abs(size) &&
        notice.price === price,
    );
    const notice = this.#notices[at];
    if (notice === undefined) {
      this.#trade(key, size);
      return;
    }
    this.#notices.splice(at, 1);
    this.closed.push({ event: notice, isLong: size < 0 });
    const lots = this.#lots.get(key);
    const old = lots?.old ?? 0;
    demand(
      old >= notice.size,
      'newcomer deleveraged',
      () => `${account} had ${old} lots of ${id} from before, ${notice.size} were closed`,
    );
    if (lots !== undefined) lots.old -= notice.size;
  }

  #trade(key: string, signed: number): void {
    const lots = this.#lots.get(key) ?? { sign: 0, old: 0, fresh: 0 };
    this.#lots.set(key, lots);
    const size = Math.abs(signed);
    if (lots.old + lots.fresh === 0) lots.sign = Math.sign(signed);
    if (lots.sign === Math.sign(signed)) {
      lots.fresh += size;
      return;
    }
    const fresh = Math.min(lots.fresh, size);
    const old = Math.min(lots.old, size - fresh);
    lots.fresh -= fresh;
    lots.old -= old;
    const rest = size - fresh - old;
    if (rest > 0) Object.assign(lots, { sign: Math.sign(signed), old: 0, fresh: rest });
  }
}

function keyOf(account: Address, id: number, leg: 0 | 1): string {
  return `${account} ${id} ${leg}`;
}
