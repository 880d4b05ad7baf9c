import { applyBlock, type Command, createState, type State } from '@oddlot/engine';
import { address, hash, timeMs } from '@oddlot/units';
import { expect, test } from 'vitest';
import { checkConservation, checkRisk } from './sim-checks.ts';
import { PARAMETERS, PERPS } from './workload.ts';

/**
 * The engine does not check every margin account at every mark. Any change that brings a
 * liquidation closer must therefore register the account to be checked. Each kind of change is
 * tested on a position that starts out far from liquidation.
 */

const PERP = PERPS[0]!;
const ID = PERP.instrumentId;
const ALICE = address('0x000000000000000000000000000000000000a11c');
const BOB = address('0x0000000000000000000000000000000000000b0b');
const START_MS = 1_767_225_600_000;

class Venue {
  readonly state: State = createState();
  steps = 0;
  #nowMs = START_MS;
  /** R-nonce: all nonces are later than the first block. */
  #nonce = START_MS + 1_000;

  constructor(isIsolated: boolean) {
    this.block({ type: 'genesis', parameters: PARAMETERS }, { type: 'registerPerp', perp: PERP });
    this.oracle(1_000_000);
    for (const account of [ALICE, BOB]) {
      const amountMicroUsdc = 1_000_000_000;
      this.block({ type: 'creditFaucet', account, subAccount: 'perp', amountMicroUsdc });
    }
    const marginMode = isIsolated ? 'isolated' : 'cross';
    const authority = this.authority(ALICE);
    this.block({ type: 'updateMarginMode', authority, instrumentId: ID, marginMode });
    this.trade(ALICE, BOB, 600);
  }

  block(...commands: readonly Command[]): void {
    this.#nowMs += 1_000;
    const { state } = this;
    const at = timeMs(this.#nowMs);
    const { events, outcomes } = applyBlock(state, {
      height: state.height + 1,
      timeMs: at,
      commands,
    });
    for (const { reject } of outcomes) expect(reject).toBeUndefined();
    this.steps += events.filter(({ type }) => type === 'liquidationStep').length;
    checkConservation(state);
    checkRisk(state, events);
  }

  authority(signer: typeof ALICE) {
    const nonce = ++this.#nonce;
    return { signer, nonce, txHash: hash(`0x${nonce.toString(16).padStart(64, '0')}`) };
  }

  oracle(oracle: number): void {
    const prices = [{ instrumentId: ID, oracle, external: oracle }];
    this.block({ type: 'pushOracle', prices, observedMs: timeMs(this.#nowMs + 1_000) });
  }

  trade(buyer: typeof ALICE, seller: typeof ALICE, size: number): void {
    for (const signer of [seller, buyer]) {
      const order = { instrumentId: ID, price: 1_000_000, size, reduceOnly: false };
      const orders = [{ ...order, isBuy: signer === buyer, timeInForce: 'gtc' as const }];
      this.block({ type: 'placeOrders', authority: this.authority(signer), orders });
    }
  }

  /**
   * Lowers the price by half a percent at a time, and checks that every account at risk is under
   * liquidation.
   */
  fall(steps: number): void {
    for (let step = 1; step <= steps; step++) this.oracle(1_000_000 - 5_000 * step);
    expect(this.steps).toBeGreaterThan(0);
  }
}

function margin(amountMicroUsdc: number, venue: Venue): Command {
  const authority = venue.authority(ALICE);
  return {
    type: 'updateIsolatedMargin',
    authority,
    instrumentId: ID,
    isBuy: true,
    amountMicroUsdc,
  };
}

test('a position is liquidated in time after margin is removed from it', () => {
  const venue = new Venue(true);
  venue.block(margin(200_000_000, venue));
  venue.block(margin(-170_000_000, venue));
  venue.fall(20);
});

test('a cross account is liquidated in time after its position grows', () => {
  const venue = new Venue(false);
  venue.trade(ALICE, BOB, 2_000);
  venue.trade(ALICE, BOB, 2_000);
  venue.fall(46);
});

test('positions are liquidated in time after the margin table becomes steeper', () => {
  const venue = new Venue(true);
  venue.block(margin(60_000_000, venue));
  const tiers = PERP.tiers.map((tier) => {
    return { ...tier, maxLeverage: 6 - tier.tier, mmrE8: tier.mmrE8 + 9_000_000 };
  });
  venue.block({ type: 'setPerp', instrumentId: ID, changes: { tiers } });
  venue.fall(16);
});
