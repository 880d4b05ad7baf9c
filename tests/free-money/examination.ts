import { checkInvariants, type State } from '@oddlot/engine';
import type { Address } from '@oddlot/units';
import { judgeOutflows } from './outflow-judge.ts';
import { demand, usdc } from './finding.ts';
import { changesOf, marksOf } from './flows.ts';
import { FundJudge } from './fund-judge.ts';
import { type FundingFigures, FundingJudge } from './funding-judge.ts';
import { judgeGap } from './gap-judge.ts';
import { LotBook } from './lots.ts';
import { type MarginFigures, MarginJudge } from './margin-judge.ts';
import { judgeRanks } from './rank-judge.ts';
import type { Entry } from './venue.ts';

/**
 * The owners' gains, excluding those from price changes on positions held, fills of honest
 * accounts' orders, and funding.
 */
export type Gains = {
  /**
   * The gain from bankruptcies: closes at prices outside the book, and deficits paid by other
   * accounts.
   */
  relief: bigint;
  /** The most that other accounts and the insurance fund may have paid for `relief`. */
  allowed: bigint;
  /**
   * The gain from the venue's orders for accounts in liquidation and for the insurance fund, valued
   * at the mark.
   */
  forced: bigint;
};

/**
 * Checks each entry of a history and, at the end, the total gain of one owner's accounts. A gain
 * has five parts. (1) Price changes on positions held are a risk for both sides. (2) Trading
 * against other accounts' orders, at the prices of those orders, is a maker's risk. (3)
 * `FundingJudge` bounds funding for each hour. (4) Forced sales are bounded by the failing
 * account's remaining equity, because a close beyond its bankruptcy price leaves a deficit, which
 * `FundJudge` checks. (5) The rest of the gain comes from bankruptcies: at most the gap profit that
 * deleveraged accounts gave up plus what the fund is permitted to pay.
 */
export class Examination {
  readonly #owners: ReadonlySet<Address>;
  readonly #fund: Address;
  readonly #funds: FundJudge;
  readonly #funding: FundingJudge;
  readonly #margins: MarginJudge;
  readonly gains: Gains = { relief: 0n, allowed: 0n, forced: 0n };
  /** How often each checked case occurred. A search that reaches none of them proves nothing. */
  readonly reached = new Map<string, number>();

  constructor(owners: readonly Address[], fund: Address) {
    this.#owners = new Set(owners);
    this.#fund = fund;
    this.#funds = new FundJudge(fund);
    this.#funding = new FundingJudge(this.#owners, fund);
    this.#margins = new MarginJudge(this.#owners, fund);
  }

  get funding(): FundingFigures {
    return this.#funding.figures;
  }

  get margins(): MarginFigures {
    return this.#margins.figures;
  }

  judge(state: State, entry: Entry): void {
    conserved(state, entry);
    const { events } = entry.result;
    for (const event of events)
      this.#count(event.type === 'liquidationStep' ? event.step : event.type);
    this.#funding.judge(entry);
    this.#margins.judge(entry);
    judgeOutflows(entry, this.#fund);
    judgeRanks(entry, this.#fund);
    const lots = new LotBook(entry.before, events, this.#fund);
    const paid = this.#funds.judge(entry, lots);
    const changes = changesOf(entry);
    const forgone = judgeGap(entry, changes, lots.closed, this.#fund);
    let relief = 0n;
    for (const owner of this.#owners) relief += changes.get(owner)?.relief ?? 0n;
    this.#judgeGroup(entry, relief, paid);
    this.gains.relief += relief;
    this.gains.allowed += forgone + paid + slackOf(entry);
    this.gains.forced += this.#forcedGain(entry);
    if (paid > 0n) this.#count('fund paid');
    if (relief > 0n) this.#count('owner relieved');
  }

  /** Runs a history's final checks. */
  conclude(state: State): void {
    checkInvariants(state);
    const { allowed, relief } = this.gains;
    demand(
      relief <= allowed,
      "owner's sum",
      () => `${usdc(relief)} by bankruptcies, where others gave ${usdc(allowed)}`,
    );
  }

  #forcedGain(entry: Entry): bigint {
    const marks = marksOf(entry);
    let gain = 0n;
    for (const event of entry.result.events) {
      if (event.type !== 'tradeExecuted') continue;
      const { isLiquidation, maker, taker } = event;
      const isForced = isLiquidation || taker.account === this.#fund;
      if (!isForced || !this.#owners.has(maker.account)) continue;
      const bought = event.takerIsBuy ? -event.size : event.size;
      gain += BigInt(bought) * BigInt(marks(event.instrumentId) - event.price);
    }
    return gain;
  }

  /**
   * Checks the gain of a group that holds all positions in the affected markets. The group may gain
   * at most what the fund pays.
   */
  #judgeGroup(entry: Entry, relief: bigint, paid: bigint): void {
    const concerned = new Set<number>();
    for (const event of entry.result.events) {
      if (event.type === 'liquidationStep') {
        for (const { instrumentId } of event.positions) concerned.add(instrumentId);
      }
    }
    if (concerned.size === 0) return;
    for (const shot of [entry.before, entry.after]) {
      for (const { address, held } of shot.fundsByAccount.values()) {
        if (this.#owners.has(address)) continue;
        if (address === this.#fund && shot === entry.after) continue;
        if (held.some(({ id, size }) => size !== 0 && concerned.has(id))) return;
      }
    }
    this.#count('closed group');
    demand(
      relief <= paid + slackOf(entry),
      'gained by a bankruptcy',
      () => `owners of all positions gained ${usdc(relief)}, the fund paid ${usdc(paid)}`,
    );
  }

  #count(what: string): void {
    this.reached.set(what, (this.reached.get(what) ?? 0) + 1);
  }
}

/**
 * Close prices are rounded to one price unit, which is one micro-USDC per lot, and each close
 * splits its released margin.
 */
function slackOf({ result }: Entry): bigint {
  let slack = 0n;
  for (const event of result.events) {
    if (event.type === 'positionTraded') slack += BigInt(Math.abs(event.size)) + 4n;
  }
  return slack;
}

/** Checks R-conservation, and that long positions equal short positions. */
function conserved(state: State, { after }: Entry): void {
  let money = after.treasury;
  const net = new Map<number, number>();
  for (const { aside, balance, held } of after.fundsByAccount.values()) {
    money += balance + aside;
    for (const { cost, id, margin, reserved, size } of held) {
      money += margin + reserved - cost;
      net.set(id, (net.get(id) ?? 0) + size);
    }
  }
  const owed = state.deposited - state.withdrawn;
  const isEven = [...net.values()].every((size) => size === 0);
  demand(
    money === owed && isEven,
    'conservation',
    () => `${usdc(money)} on the books, ${usdc(owed)} paid in; sizes ${[...net].join(' ')}`,
  );
}
