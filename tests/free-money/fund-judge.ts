import type { EngineEvent, LiquidationStep, TradeExecuted } from '@oddlot/engine';
import type { Address } from '@oddlot/units';
import { demand, usdc } from './finding.ts';
import { judgedMarksOf, marksOf, sidesOf } from './flows.ts';
import type { LotBook } from './lots.ts';
import { larger, magnitude, type Prices, type Funds, unrealised } from './state-copy.ts';
import type { Entry } from './venue.ts';

/**
 * R-insurance-fund, R-deficit: checks the limits on the fund's takeovers, hourly payments and sale
 * prices. The judge follows the fund's account value through an entry's events. Fees that it cannot
 * attribute are counted as paid to the fund, so that it never reports a permitted payment.
 */

const MINUTE_MS = 60_000;
const WINDOW_MINUTES = 60;
const LEVERAGE_MAX = 5n;
const INSTRUMENT_MAX = 2n;
/**
 * Per hour, the fund may pay a twentieth of its account value for one market and a tenth for all
 * markets.
 */
const COST_IN_ONE = 20n;
const COST_IN_ALL = 10n;
const E8 = 100_000_000n;

type Cost = { readonly minute: number; readonly id: number | undefined; readonly amount: bigint };

export class FundJudge {
  readonly #fund: Address;
  #costs: Cost[] = [];

  constructor(fund: Address) {
    this.#fund = fund;
  }

  /**
   * Adds up the fund's payments in an entry (takeovers above the mark, deficits and sales below the
   * mark) and returns their total.
   */
  judge(entry: Entry, lots: LotBook): bigint {
    const minute = Math.floor(entry.after.timeMs / MINUTE_MS);
    this.#costs = this.#costs.filter((cost) => cost.minute > minute - WINDOW_MINUTES);
    const known = this.#costs.length;
    const walk = new Walk(entry, this.#fund, lots, minute, this.#costs);
    for (const event of entry.result.events) walk.note(event);
    let paid = 0n;
    for (const { amount } of this.#costs.slice(known)) paid += amount;
    return paid;
  }
}

/** Tracks the fund through one entry, event by event. */
class Walk {
  readonly #entry: Entry;
  readonly #fund: Address;
  readonly #lots: LotBook;
  readonly #minute: number;
  readonly #costs: Cost[];
  readonly #marks: Prices;
  readonly #sizes = new Map<number, number>();
  /** Positions that this entry has offered for auto-deleveraging. */
  readonly #offered = new Set<string>();
  /**
   * True if a settlement changes a mark within the entry. The bounds from before the settlement
   * then apply.
   */
  readonly #isSettling: boolean;
  #value = 0n;
  #allowance: Map<Address, bigint> | undefined;
  /**
   * The account whose position the venue is closing in the market, and the fees the fund earns from
   * closing it.
   */
  #closing: Address | undefined;
  readonly #fees = new Map<Address, bigint>();

  constructor(entry: Entry, fund: Address, lots: LotBook, minute: number, costs: Cost[]) {
    this.#entry = entry;
    this.#fund = fund;
    this.#lots = lots;
    this.#minute = minute;
    this.#costs = costs;
    this.#marks = marksOf(entry);
    this.#isSettling = entry.result.events.some(({ type }) => type === 'perpSettled');
    const funds = entry.before.fundsByAccount.get(fund);
    if (funds === undefined) return;
    this.#value = funds.balance;
    for (const each of funds.held) {
      this.#value += unrealised(each, this.#marks);
      this.#sizes.set(each.id, each.size);
    }
  }

  note(event: EngineEvent): void {
    switch (event.type) {
      case 'faucetCredited':
      case 'fundingPaid':
        if (event.account === this.#fund) this.#value += event.amount;
        break;
      case 'tradeExecuted':
        this.#trade(event);
        break;
      case 'liquidationStep':
        this.#closing = event.step === 'market' ? event.account : undefined;
        if (event.step === 'adl') this.#offered.add(placeOf(event));
        if (event.step === 'insurance') this.#take(event);
        break;
      case 'positionTraded':
        if (event.account === this.#fund) {
          this.#hold(event.instrumentId, event.size, event.price);
        }
        break;
      case 'fundSettled':
        this.#value -= event.amount;
        if (event.amount > 0n) this.#deficit(event.account, event.amount);
        break;
      default:
    }
    this.#lots.note(event);
  }

  #hold(id: number, signed: number, price: number): void {
    this.#sizes.set(id, (this.#sizes.get(id) ?? 0) + signed);
    this.#value += BigInt(signed) * BigInt(this.#marks(id) - price);
  }

  #pay(id: number | undefined, amount: bigint): void {
    if (amount > 0n) this.#costs.push({ minute: this.#minute, id, amount });
  }

  /**
   * Counts all fees as paid to the fund, which is their maximum. The fund's own trades unwind its
   * positions.
   */
  #trade(event: TradeExecuted): void {
    const { instrumentId: id, maker, price, taker } = event;
    this.#value += larger(0n, taker.fee) + larger(0n, maker.fee);
    if (taker.account === this.#closing) {
      this.#fees.set(taker.account, (this.#fees.get(taker.account) ?? 0n) + taker.fee);
    }
    const own = sidesOf(event).find(({ side }) => side.account === this.#fund);
    if (own === undefined) return;
    this.#pay(id, BigInt(own.signed) * BigInt(price - this.#marks(id)));
    this.#hold(id, own.signed, price);
    if (this.#isSettling) return;
    const market = this.#entry.after.markets.get(id);
    const mmrE8 = market?.tiers[0]?.mmrE8 ?? 0;
    const bandE8 = BigInt(Math.min(1_000_000, Math.floor(mmrE8 / 2)));
    for (const reference of [market?.mark ?? 0, market?.oracle ?? 0]) {
      const worse = BigInt(own.signed < 0 ? reference - price : price - reference);
      demand(
        (worse - 1n) * E8 <= BigInt(reference) * bandE8,
        'fund sells too low',
        () => `the fund traded ${own.signed} lots of ${id} at ${price}, ${reference} is the price`,
      );
    }
  }

  #take(step: LiquidationStep): void {
    const [position] = step.positions;
    if (position === undefined || step.price === undefined) return;
    const { instrumentId: id, size } = position;
    const { mark, price } = step;
    const gain = BigInt(size) * BigInt(mark - price);
    const cost = larger(0n, -gain);
    if (this.#offered.has(placeOf(step))) {
      // R-deficit: the fund may take over a deficit only if no other account can.
      const others = this.#lots.oldLots(id, size < 0, step.account);
      demand(
        others === 0,
        'fund takes what others hold',
        () => `${size} lots of ${id} of ${step.account}, while others hold ${others} against them`,
      );
      this.#pay(id, cost);
      return;
    }
    if (!this.#isSettling) this.#judgeTaking(id, size, { mark, gain, cost });
    this.#pay(id, cost);
  }

  #judgeTaking(
    id: number,
    size: number,
    terms: { readonly mark: number; readonly gain: bigint; readonly cost: bigint },
  ): void {
    const value = this.#value + terms.gain;
    let total = 0n;
    for (const [each, held] of this.#sizes) {
      if (each !== id) total += magnitude(held) * BigInt(this.#marks(each));
    }
    const own = magnitude((this.#sizes.get(id) ?? 0) + size) * BigInt(terms.mark);
    demand(
      total + own <= LEVERAGE_MAX * value && own <= INSTRUMENT_MAX * value,
      'fund too large',
      () => `${usdc(own)} of ${id}, ${usdc(total)} of others, by a fund of ${usdc(value)}`,
    );
    if (terms.cost === 0n) return;
    let inOne = terms.cost;
    let inAll = terms.cost;
    for (const { amount, id: where } of this.#costs) {
      inAll += amount;
      if (where === id) inOne += amount;
    }
    demand(
      inOne * COST_IN_ONE <= this.#value && inAll * COST_IN_ALL <= this.#value,
      'fund pays too much',
      () =>
        `${usdc(terms.cost)} for ${size} lots of ${id}, ${usdc(inOne)} there and ${usdc(inAll)} in all within an hour, of ${usdc(this.#value)}`,
    );
  }

  /**
   * Only two amounts cannot be charged to an account: its margin account's deficit at the last
   * valid marks, and funding. In addition, a fill may leave less than the previous fill's fee, in
   * which case the fund returns the difference.
   */
  #deficit(account: Address, amount: bigint): void {
    this.#pay(undefined, amount);
    this.#allowance ??= allowances(this.#entry);
    const left = (this.#allowance.get(account) ?? 0n) - amount;
    this.#allowance.set(account, left);
    demand(
      left + (this.#fees.get(account) ?? 0n) >= 0n,
      'fund pays a deficit',
      () => `${usdc(amount)} of ${account}, ${usdc(-left)} more than it lacked before the gap`,
    );
  }
}

function placeOf({ account, marginMode, positions: [position] }: LiquidationStep): string {
  const side = Math.sign(position?.size ?? 0);
  return `${account} ${marginMode} ${position?.instrumentId} ${side}`;
}

function allowances(entry: Entry): Map<Address, bigint> {
  const judged = judgedMarksOf(entry);
  const allowed = new Map<Address, bigint>();
  for (const [account, funds] of entry.before.fundsByAccount) {
    // Close prices are rounded by less than one micro-USDC per lot, and each close splits its
    // released margin.
    let sum = 1_000n + lackOf(funds, judged);
    for (const { size } of funds.held) sum += 2n * magnitude(size);
    allowed.set(account, sum);
  }
  for (const event of entry.result.events) {
    if (event.type !== 'fundingPaid' || event.amount >= 0n) continue;
    allowed.set(event.account, (allowed.get(event.account) ?? 0n) - event.amount);
  }
  return allowed;
}

/** Returns the total deficit of an account's margin accounts, each computed separately. */
function lackOf({ balance, held }: Funds, prices: Prices): bigint {
  let cross = balance;
  let lack = 0n;
  for (const each of held) {
    if (each.isIsolated) lack += larger(0n, -(each.margin + unrealised(each, prices)));
    else cross += unrealised(each, prices);
  }
  return lack + larger(0n, -cross);
}
