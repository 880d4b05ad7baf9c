import { type Address, instrumentId } from '@oddlot/units';
import { describe, expect, test } from 'vitest';
import { LOTS, PRICE, Story } from './scenario-table.ts';
import { order, type Unsigned } from './venue.ts';

/**
 * R-oracle-stale: the owner of a position without a valid price tries to move money away before the
 * price returns at half of its value. The remaining money must pay for the loss, so that other
 * accounts and the fund do not.
 */

const [AA, BB] = [1, 2];
const HOUR_S = 3_600;
/** The first seven samples of the hour are fresh, and the next 373 are missed. */
const LOST_S = 1_900;

/** Ways in which a market loses its valid price, each with the way in which the price returns. */
const SILENCES: readonly {
  readonly what: string;
  readonly begin: (story: Story) => void;
  readonly end: (story: Story, price: number) => void;
}[] = [
  {
    what: 'a stale market',
    begin: (story) => story.silence(AA),
    end: (story, price) => story.speak(AA, price),
  },
  {
    what: 'a delisted market that waits for a price',
    begin(story) {
      const id = instrumentId(AA);
      story.venue.apply([{ type: 'setPerp', instrumentId: id, delisted: true, changes: {} }]);
      story.venue.hush(AA, true);
      story.prices({}, HOUR_S);
    },
    // The new hour starts with this price as its first mark.
    end: (story, price) => story.speak(AA, price),
  },
  {
    what: 'a delisted market whose hour has missed too many samples',
    begin(story) {
      const id = instrumentId(AA);
      story.venue.apply([{ type: 'setPerp', instrumentId: id, delisted: true, changes: {} }]);
      story.venue.hush(AA, true);
      story.prices({}, LOST_S);
      story.speak(AA, 80);
    },
    end(story, price) {
      story.prices({ [AA]: price }, HOUR_S - LOST_S);
      story.speak(AA, price);
    },
  },
  {
    what: 'a halted market',
    begin: (story) => halt(story, true),
    end(story, price) {
      halt(story, false);
      story.prices({ [AA]: price });
    },
  },
];

function halt({ venue }: Story, halted: boolean): void {
  venue.apply([{ type: 'setPerp', instrumentId: instrumentId(AA), halted, changes: {} }]);
}

/** Sends a command. Returns true if the command and its first order are accepted. */
function passes(story: Story, account: Address, command: Unsigned): boolean {
  const { entries, reject } = story.venue.act(account, command).outcome;
  return reject === undefined && entries?.[0]?.reject === undefined;
}

const buy = (id: number, units: number, price = 100) =>
  order({ id, price: price * PRICE, size: Math.round(units * LOTS), timeInForce: 'ioc' });

describe.each(SILENCES)('R-oracle-stale: a position in $what', ({ begin, end }) => {
  test('margin cannot move to an isolated position in another market', () => {
    const { fund, maker, owner, story } = opened();
    isolate(story, owner);
    begin(story);
    const margin = {
      type: 'updateIsolatedMargin',
      instrumentId: instrumentId(BB),
      isBuy: true,
      amountMicroUsdc: 4_400_000_000,
    } as const;
    story.rest(maker, -10, 100, BB);
    const isOpened = passes(story, owner, { type: 'placeOrders', orders: [buy(BB, 0.2)] });
    const isMoved = passes(story, owner, margin);
    end(story, 50);
    expect([isOpened, isMoved]).toEqual([false, false]);
    expect(story.reserves).toBeGreaterThanOrEqual(fund);
  });

  test('money cannot leave by a trade far from the mark with a cooperating account', () => {
    const { fund, owner, story } = opened();
    const friend = story.person(20_000);
    begin(story);
    story.rest(friend, -100, 137.5, BB);
    story.venue.place(owner, buy(BB, 100, 137.5));
    const had = story.sum(owner, friend);
    expect(story.units(owner, BB)).toBe(0);
    end(story, 50);
    expect(story.sum(owner, friend)).toBeLessThanOrEqual(had);
    expect(story.reserves).toBeGreaterThanOrEqual(fund);
  });

  test('margin cannot be removed from an isolated position without a valid price', () => {
    const story = new Story(2);
    story.fund(50_000);
    const owner = story.person(5_000, 'isolated');
    const other = story.person(100_000);
    story.deal(owner, other, 100);
    const added = {
      type: 'updateIsolatedMargin',
      instrumentId: instrumentId(AA),
      isBuy: true,
      amountMicroUsdc: 4_000_000_000,
    } as const;
    expect(passes(story, owner, added)).toBe(true);
    begin(story);
    expect(passes(story, owner, { ...added, amountMicroUsdc: -3_000_000_000 })).toBe(false);
    end(story, 50);
    expect(story.reserves).toBeGreaterThanOrEqual(50_000);
  });

  test('money cannot leave by transfer, withdrawal or a lower leverage of another position', () => {
    const { owner, story } = opened();
    isolate(story, owner);
    const maker = story.person(100_000);
    story.deal(owner, maker, 1, 100, BB);
    begin(story);
    const money = { destination: maker, amountMicroUsdc: 1_000_000_000 };
    const sent = { type: 'sendToken', token: 0, from: 'perp', to: 'perp', ...money } as const;
    expect(passes(story, owner, sent)).toBe(false);
    expect(passes(story, owner, { ...sent, destination: owner, to: 'outcome' })).toBe(false);
    expect(passes(story, owner, { type: 'withdraw', ...money })).toBe(false);
    const lower = { type: 'updateLeverage', instrumentId: instrumentId(BB), leverage: 1 } as const;
    expect(passes(story, owner, lower)).toBe(false);
  });

  test('orders in other markets can reduce near the mark, and deposits are accepted', () => {
    const { maker, owner, story } = opened();
    story.deal(owner, maker, 10, 100, BB);
    begin(story);
    story.rest(maker, 10, 99.9, BB);
    const sell = { ...buy(BB, 4, 99.9), isBuy: false, reduceOnly: true };
    expect(passes(story, owner, { type: 'placeOrders', orders: [sell] })).toBe(true);
    expect(story.units(owner, BB)).toBe(6);
    story.venue.act(maker, { type: 'cancelAll' });
    story.rest(maker, 10, 97, BB);
    story.venue.place(owner, { ...buy(BB, 4, 97), isBuy: false, reduceOnly: true });
    expect(story.units(owner, BB)).toBe(6);
    const before = story.sum(owner);
    story.venue.credit(owner, 10);
    expect(story.sum(owner)).toBe(before + 10);
  });
});

/**
 * Opens a cross long position of 100 units of AA with 5,000 USDC against a well-funded account,
 * with a large insurance fund.
 */
function opened(): { story: Story; owner: Address; maker: Address; fund: number } {
  const story = new Story(2);
  const fund = 50_000;
  story.fund(fund);
  const [owner, maker] = [story.person(5_000), story.person(100_000)];
  story.deal(owner, maker, 100);
  expect(story.units(owner)).toBe(100);
  return { story, owner, maker, fund };
}

function isolate(story: Story, owner: Address): void {
  const id = { instrumentId: instrumentId(BB) };
  story.venue.act(owner, { type: 'updateMarginMode', ...id, marginMode: 'isolated' });
}
