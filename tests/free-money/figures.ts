import type { Played } from './play.ts';
import { usdc } from './finding.ts';
import { larger } from './state-copy.ts';

export class Figures {
  runs = 0;
  entries = 0;
  readonly #reached = new Map<string, number>();
  #simulatedMs = 0;
  #fundingHours = 0;
  #gain = 0n;
  #interestHours = 0n;
  #worstE10 = 0n;
  #relief = 0n;
  #forced = 0n;
  #cancelled = 0;
  #stale = 0;
  #judged = 0;
  #refused = 0;

  add({ entries, funding, gains, margins, reached, simulatedMs }: Played): void {
    this.runs += 1;
    this.entries += entries;
    this.#simulatedMs += simulatedMs;
    for (const [what, times] of reached) {
      this.#reached.set(what, (this.#reached.get(what) ?? 0) + times);
    }
    this.#fundingHours += funding.hours;
    this.#gain += funding.gain;
    this.#interestHours += funding.interestHours;
    this.#worstE10 = larger(this.#worstE10, funding.worstE10);
    this.#relief += gains.relief;
    this.#forced += gains.forced;
    this.#cancelled += margins.cancelled;
    this.#stale += margins.stale;
    this.#judged += margins.judged;
    this.#refused += margins.refused;
  }

  readonly reached = (): Readonly<Record<string, number>> =>
    Object.fromEntries([...this.#reached].toSorted(([a], [b]) => (a < b ? -1 : 1)));

  summary(): Readonly<Record<string, number | string>> {
    return {
      histories: this.runs,
      entries: this.entries,
      simulatedHours: Math.round(this.#simulatedMs / 3_600_000),
      fundingPayments: this.#fundingHours,
      ownersGainedByFunding: usdc(this.#gain),
      openInterestHours: usdc(this.#interestHours),
      worstGainOfOneHour: `${Number(this.#worstE10) / 1e8}% of open interest`,
      ownersGainedByBankruptcies: usdc(this.#relief),
      ownersGainedFromForcedSales: usdc(this.#forced),
      honestOrdersCancelledForMargin: this.#cancelled,
      ofTheseInStaleMarkets: this.#stale,
      ofTheseRecomputed: this.#judged,
      honestPostOnlyRefused: this.#refused,
    };
  }
}
