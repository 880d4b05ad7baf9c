import { expect, test } from 'vitest';
import { alice, bob, carol, PERP, Scenario } from '@oddlot/testing/engine/scenario';
import { randomIntegers } from '@oddlot/testing/engine/steps';
import { checkRestarts, waiting } from '@oddlot/testing/engine/waiting';

/**
 * The seeds of the random books on which one stop is compared with a simple model (R-trigger). The
 * model shares no code with the engine: it consists of a list of bids, a percentage and a time.
 */
const SEEDS = Array.from({ length: 12 }, (_, n) => 40 + n);
const TRIGGER = 950_000;

type Bid = { readonly orderId: number; readonly price: number; size: number };

class Model {
  position: number;
  rest: number;
  bids: Bid[] = [];
  #percent = 1;
  #nextMs = 0;
  #hasFired = false;

  constructor(position: number, size: number) {
    this.position = position;
    this.rest = size;
  }

  /** Applies a block, with its mark and time. */
  pass(mark: number, nowMs: number): void {
    if (this.rest === 0 || mark > TRIGGER || nowMs < this.#nextMs) return;
    if (!this.#hasFired) this.rest = Math.min(this.rest, this.position);
    this.#hasFired = true;
    const sent = Math.min(this.rest, this.position);
    // The limit is rounded to the tick of 100 towards the mark.
    const worst = Math.ceil((mark * (100 - this.#percent)) / 10_000) * 100;
    const filled = this.#sell(sent, worst);
    this.position -= filled;
    this.rest = sent - filled;
    if (2 * filled < sent) this.#percent = Math.min(5, this.#percent + 1);
    this.#nextMs = nowMs + 1_000;
  }

  #sell(size: number, worst: number): number {
    let left = size;
    this.bids.sort((a, b) => b.price - a.price || a.orderId - b.orderId);
    for (const bid of this.bids) {
      if (bid.price < worst) break;
      const part = Math.min(left, bid.size);
      bid.size -= part;
      left -= part;
    }
    this.bids = this.bids.filter((bid) => bid.size > 0);
    return size - left;
  }
}

function run(seed: number): { readonly tried: number; readonly isFilled: boolean } {
  const pick = randomIntegers(seed);
  const size = 150 + pick(200);
  // Market orders are limited to this size; stops are not.
  const scenario = Scenario.open({ perp: { ...PERP, maxMarketOrderSize: 60 } });
  scenario.one(bob, { isBuy: false, price: 1_000_000, size: 300 });
  scenario.one(alice, { price: 1_000_000, size: 300 });
  scenario.place(alice, waiting({ price: TRIGGER }, { size }));
  const model = new Model(300, size);
  let tried = 0;
  for (let round = 0; round < 60 && model.rest > 0; round++) {
    scenario.wait(pick(900));
    const mark = 940_000 + pick(140) * 100;
    if (pick(3) === 0) {
      const bid = { price: mark - pick(500) * 100, size: 12 + pick(25) };
      const { orderId } = scenario.one(carol, bid);
      // Triggers fire before new orders, so the bid counts only in the next block.
      model.pass(markOf(scenario), scenario.nowMs);
      model.bids.push({ ...bid, orderId: orderId! });
    } else {
      scenario.oracle(mark);
      model.pass(markOf(scenario), scenario.nowMs);
    }
    const trigger = scenario.state.triggers.all()[0];
    if (trigger?.firing !== undefined) tried += 1;
    expect([scenario.position(alice), trigger === undefined]).toEqual([
      model.position,
      model.rest === 0,
    ]);
  }
  checkRestarts(scenario);
  return { tried, isFilled: model.rest === 0 };
}

function markOf(scenario: Scenario): number {
  return scenario.state.perps.get(PERP.instrumentId)!.mark;
}

test('R-trigger: the attempts of a stop match the model', () => {
  const runs = SEEDS.map(run);
  expect(runs.some(({ isFilled }) => isFilled)).toBe(true);
  expect(runs.every(({ tried }) => tried > 0)).toBe(true);
});
