import type { FundingPaid } from '@oddlot/engine';
import type { Address } from '@oddlot/units';
import { demand, usdc } from './finding.ts';
import { hasValidMark, larger } from './state-copy.ts';
import type { Entry } from './venue.ts';

/**
 * R-funding, R-insurance-fund: checks the funding that one owner's accounts gain from others; the
 * insurance fund pays none. The bound is the hourly rate with every sample at the premium cap,
 * applied to the whole open interest: 0.11875% of it in a full hour. The bound is lower if the
 * market was stale, halted or closing for part of the hour.
 */

const E10 = 10_000_000_000n;
const PREMIUM_CAP_E10 = 100_000_000n;
const INTEREST_E10 = 1_000_000n;
const DAMPER_E10 = 5_000_000n;
const SAMPLES = 720n;
const SAMPLE_MS = 5_000;
const HOUR_MS = 3_600_000;

/** The owners' funding gains, and the open interest in the hours in which they were made. */
export type FundingFigures = {
  gain: bigint;
  /** The sum of the open interest at the oracle price in these hours. */
  interestHours: bigint;
  /** The largest hourly gain as a fraction of the open interest, in 10^-10. */
  worstE10: bigint;
  hours: number;
};

export class FundingJudge {
  readonly #owners: ReadonlySet<Address>;
  readonly #fund: Address;
  /** The number of sampling instants in the current hour at which each market was open. */
  readonly #open = new Map<number, bigint>();
  readonly figures: FundingFigures = { gain: 0n, interestHours: 0n, worstE10: 0n, hours: 0 };

  constructor(owners: ReadonlySet<Address>, fund: Address) {
    this.#owners = owners;
    this.#fund = fund;
  }

  judge(entry: Entry): void {
    const { after, before, result } = entry;
    const paid = result.events.filter((event) => event.type === 'fundingPaid');
    for (const [id, payments] of Map.groupBy(paid, (event) => event.instrumentId)) {
      this.#judgeHour(entry, id, payments);
    }
    if (hourOf(before.timeMs) < hourOf(after.timeMs)) this.#open.clear();
    if (after.timeMs - (after.timeMs % SAMPLE_MS) <= before.timeMs) return;
    for (const market of after.markets.values()) {
      if (!hasValidMark(market) || market.isClosing) continue;
      this.#open.set(market.id, (this.#open.get(market.id) ?? 0n) + 1n);
    }
  }

  #judgeHour({ after, before }: Entry, id: number, payments: readonly FundingPaid[]): void {
    let gain = 0n;
    let interest = 0n;
    for (const { account, amount, size } of payments) {
      demand(
        account !== this.#fund || amount >= 0n,
        'fund pays funding',
        () => `${usdc(-amount)} for ${size} lots of ${id}`,
      );
      if (this.#owners.has(account)) gain += amount;
      if (size > 0) interest += BigInt(size);
    }
    const oracles = [before, after].map(({ markets }) => BigInt(markets.get(id)?.oracle ?? 0));
    const value = interest * oracles.reduce(larger, 0n);
    const open = this.#open.get(id) ?? 0n;
    const bound = (value * rateBoundE10(open)) / E10 + 1n;
    const { figures } = this;
    figures.gain += gain;
    figures.interestHours += value;
    figures.hours += 1;
    if (value > 0n) figures.worstE10 = larger(figures.worstE10, (gain * E10) / value);
    demand(
      gain <= bound,
      'funding beyond its bound',
      () =>
        `owners gained ${usdc(gain)} on an open interest of ${usdc(value)} in market ${id}, ` +
        `${usdc(bound)} at most, with ${open} samples of an open market`,
    );
  }
}

/**
 * R-funding: returns the hourly rate, rounded up, if this many samples are at the cap and all
 * others are 0.
 */
function rateBoundE10(samples: bigint): bigint {
  const premium = (PREMIUM_CAP_E10 * (samples < SAMPLES ? samples : SAMPLES)) / SAMPLES + 1n;
  const pull = INTEREST_E10 - premium;
  const rate = premium + (pull < -DAMPER_E10 ? -DAMPER_E10 : pull);
  return (rate + 7n) / 8n;
}

function hourOf(timeMs: number): number {
  // Funding is paid in the entry that reaches the end of the hour, so that entry counts towards the
  // hour.
  return Math.floor(timeMs / HOUR_MS);
}
