import { type Address, instrumentId } from '@oddlot/units';
import { describe, expect, test } from 'vitest';
import { LOTS, PRICE, ScenarioVenue } from './scenario-table.ts';
import { order, type Unsigned } from './venue.ts';

/**
 * R-oracle-stale: the owner of a position without a valid price tries to move money away before the
 * price returns at half its value. The money that is left must pay for the loss, so that other
 * accounts and the fund do not have to.
 */

const [AA, BB] = [1, 2];
const HOUR_S = 3_600;
/** The hour's first seven samples have a valid price, and the next 373 are missed. */
const LOST_S = 1_900;

/** Ways in which a market can lose its valid price, each with how the price returns. */
const SILENCES: readonly {
  readonly what: string;
  readonly begin: (scenario: ScenarioVenue) => void;
  readonly end: (scenario: ScenarioVenue, price: number) => void;
}[] = [
  {
    what: 'a stale market',
    begin: (scenario) => scenario.silence(AA),
    end: (scenario, price) => scenario.speak(AA, price),
  },
  {
    what: 'a delisted market that waits for a price',
    begin(scenario) {
      const id = instrumentId(AA);
      scenario.venue.apply([{ type: 'setPerp', instrumentId: id, delisted: true, changes: {} }]);
      scenario.venue.hush(AA, true);
      scenario.prices({}, HOUR_S);
    },
    // The new hour starts with this price as its first mark.
    end: (scenario, price) => scenario.speak(AA, price),
  },
  {
    what: 'a delisted market whose hour has missed too many samples',
    begin(scenario) {
      const id = instrumentId(AA);
      scenario.venue.apply([{ type: 'setPerp', instrumentId: id, delisted: true, changes: {} }]);
      scenario.venue.hush(AA, true);
      scenario.prices({}, LOST_S);
      scenario.speak(AA, 80);
    },
    end(scenario, price) {
      scenario.prices({ [AA]: price }, HOUR_S - LOST_S);
      scenario.speak(AA, price);
    },
  },
  {
    what: 'a halted market',
    begin: (scenario) => halt(scenario, true),
    end(scenario, price) {
      halt(scenario, false);
      scenario.prices({ [AA]: price });
    },
  },
];

function halt({ venue }: ScenarioVenue, halted: boolean): void {
  venue.apply([{ type: 'setPerp', instrumentId: instrumentId(AA), halted, changes: {} }]);
}

/** Sends a command. Returns true if the command and its first order are accepted. */
function passes(scenario: ScenarioVenue, account: Address, command: Unsigned): boolean {
  const { entries, reject } = scenario.venue.act(account, command).outcome;
  return reject === undefined && entries?.[0]?.reject === undefined;
}

const buy = (id: number, units: number, price = 100) =>
  order({ id, price: price * PRICE, size: Math.round(units * LOTS), timeInForce: 'ioc' });

describe.each(SILENCES)('R-oracle-stale: a position in $what', ({ begin, end }) => {
  test('margin cannot move to an isolated position in another market', () => {
    const { fund, maker, owner, scenario } = opened();
    isolate(scenario, owner);
    begin(scenario);
    const margin = {
      type: 'updateIsolatedMargin',
      instrumentId: instrumentId(BB),
      isBuy: true,
      amountMicroUsdc: 4_400_000_000,
    } as const;
    scenario.rest(maker, -10, 100, BB);
    const isOpened = passes(scenario, owner, { type: 'placeOrders', orders: [buy(BB, 0.2)] });
    const isMoved = passes(scenario, owner, margin);
    end(scenario, 50);
    expect([isOpened, isMoved]).toEqual([false, false]);
    expect(scenario.reserves).toBeGreaterThanOrEqual(fund);
  });

  test('money cannot leave through a trade far from the mark with a colluding account', () => {
    const { fund, owner, scenario } = opened();
    const friend = scenario.person(20_000);
    begin(scenario);
    scenario.rest(friend, -100, 137.5, BB);
    scenario.venue.place(owner, buy(BB, 100, 137.5));
    const had = scenario.sum(owner, friend);
    expect(scenario.units(owner, BB)).toBe(0);
    end(scenario, 50);
    expect(scenario.sum(owner, friend)).toBeLessThanOrEqual(had);
    expect(scenario.reserves).toBeGreaterThanOrEqual(fund);
  });

  test('margin cannot be removed from an isolated position without a valid price', () => {
    const scenario = new ScenarioVenue(2);
    scenario.fund(50_000);
    const owner = scenario.person(5_000, 'isolated');
    const other = scenario.person(100_000);
    scenario.deal(owner, other, 100);
    const added = {
      type: 'updateIsolatedMargin',
      instrumentId: instrumentId(AA),
      isBuy: true,
      amountMicroUsdc: 4_000_000_000,
    } as const;
    expect(passes(scenario, owner, added)).toBe(true);
    begin(scenario);
    expect(passes(scenario, owner, { ...added, amountMicroUsdc: -3_000_000_000 })).toBe(false);
    end(scenario, 50);
    expect(scenario.reserves).toBeGreaterThanOrEqual(50_000);
  });

  test('money cannot leave through a transfer, a withdrawal or lower leverage on another position', () => {
    const { owner, scenario } = opened();
    isolate(scenario, owner);
    const maker = scenario.person(100_000);
    scenario.deal(owner, maker, 1, 100, BB);
    begin(scenario);
    const money = { destination: maker, amountMicroUsdc: 1_000_000_000 };
    const sent = { type: 'sendToken', token: 0, from: 'perp', to: 'perp', ...money } as const;
    expect(passes(scenario, owner, sent)).toBe(false);
    expect(passes(scenario, owner, { ...sent, destination: owner, to: 'outcome' })).toBe(false);
    expect(passes(scenario, owner, { type: 'withdraw', ...money })).toBe(false);
    const lower = { type: 'updateLeverage', instrumentId: instrumentId(BB), leverage: 1 } as const;
    expect(passes(scenario, owner, lower)).toBe(false);
  });

  test('orders in other markets can reduce near the mark, and deposits are accepted', () => {
    const { maker, owner, scenario } = opened();
    scenario.deal(owner, maker, 10, 100, BB);
    begin(scenario);
    scenario.rest(maker, 10, 99.9, BB);
    const sell = { ...buy(BB, 4, 99.9), isBuy: false, reduceOnly: true };
    expect(passes(scenario, owner, { type: 'placeOrders', orders: [sell] })).toBe(true);
    expect(scenario.units(owner, BB)).toBe(6);
    scenario.venue.act(maker, { type: 'cancelAll' });
    scenario.rest(maker, 10, 97, BB);
    scenario.venue.place(owner, { ...buy(BB, 4, 97), isBuy: false, reduceOnly: true });
    expect(scenario.units(owner, BB)).toBe(6);
    const before = scenario.sum(owner);
    scenario.venue.credit(owner, 10);
    expect(scenario.sum(owner)).toBe(before + 10);
  });
});

/**
 * Opens a cross long of 100 units of AA with 5,000 USDC against a well-funded account, with a large
 * insurance fund.
 */
function opened(): { scenario: ScenarioVenue; owner: Address; maker: Address; fund: number } {
  const scenario = new ScenarioVenue(2);
  const fund = 50_000;
  scenario.fund(fund);
  const [owner, maker] = [scenario.person(5_000), scenario.person(100_000)];
  scenario.deal(owner, maker, 100);
  expect(scenario.units(owner)).toBe(100);
  return { scenario, owner, maker, fund };
}

function isolate(scenario: ScenarioVenue, owner: Address): void {
  const id = { instrumentId: instrumentId(BB) };
  scenario.venue.act(owner, { type: 'updateMarginMode', ...id, marginMode: 'isolated' });
}
