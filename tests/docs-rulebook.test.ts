import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { restrictingPerp, crossScope } from '../packages/engine/src/perp/margin-restriction.ts';
import { closingMark } from '../packages/engine/src/perp/mark-price.ts';
import { withdrawable } from '../packages/engine/src/perp/free-margin.ts';
import {
  fundingAmount,
  fundingRateE10,
  premiumCapE8,
  premiumE10,
} from '../packages/engine/src/perp/funding.ts';
import { createClosing } from '../packages/engine/src/state/sampled-hours.ts';
import { deal, jumpPrices, openGap, px, worth, X, Z } from './support/engine/gaps.ts';
import { actor, PERP, Scenario } from './support/engine/scenario.ts';
import { defaultParameters, genesisCommands } from '../packages/replica/src/genesis-commands.ts';
import { formatDecimal } from '@oddlot/units';
import { REPOSITORY } from './support/venue-process.ts';

/** Compares the numbers in the rulebook with a new venue's defaults. */

const text = readFileSync(join(REPOSITORY, 'docs/rulebook.md'), 'utf8');
const ROWS = [...text.matchAll(/^\| `(\w+)` \| ([^|]+) \| .*\|$/gm)];

/** Formats a parameter as in the table. The end of its name is its unit. */
function shown(name: string, value: number): string {
  if (name.endsWith('MicroUsdc')) return `${(value / 1e6).toLocaleString('en-US')} USDC`;
  if (name.endsWith('E8')) return `${value / 1e6}%`;
  if (name.endsWith('E10')) return `${value / 1e8}%`;
  return name.endsWith('Ms') ? `${value / 1_000} s` : String(value);
}

describe('docs/rulebook.md agrees with the code', () => {
  test("the rulebook has exactly a venue's parameters", () => {
    const table = text.slice(text.indexOf('## Parameters'));
    const listed = ROWS.filter(({ index }) => index >= text.length - table.length);
    const numbers = Object.entries(defaultParameters('Any')).filter(
      (entry): entry is [string, number] => typeof entry[1] === 'number',
    );
    expect(listed.map(([, name, value]) => `${name} ${value?.trim()}`).sort()).toEqual(
      numbers.map(([name, value]) => `${name} ${shown(name, value)}`).sort(),
    );
  });

  test('R-mark: the bands in the rulebook follow from the formula and the listed tiers', () => {
    const { liquidationFeeE8 } = defaultParameters('Any');
    for (const command of genesisCommands('Any')) {
      if (command.type !== 'registerPerp') continue;
      const { baseCurrency, takerFeeE8, tiers } = command.perp;
      const bands = tiers.map(({ maxLeverage, mmrE8 }) => {
        const least = 1e8 / maxLeverage;
        const room = least - mmrE8 - liquidationFeeE8 - takerFeeE8;
        return room / (2e8 + mmrE8 + liquidationFeeE8 + least);
      });
      const percent = `${(Math.min(...bands) * 100).toFixed(4)}%`;
      const row = text
        .split('\n')
        .find((line) => line.startsWith('| ') && line.endsWith(`${percent} |`));
      expect(row, `${baseCurrency} has ${percent}`).toContain(baseCurrency);
    }
  });

  test('R-ema: the constant and the vector in the rulebook are correct', () => {
    const factor = Number(/\(sample − ema\) × (\d+) \/ 2\^32/.exec(text)?.[1]);
    expect(factor).toBe(Math.floor(2 ** 32 * (1 - Math.exp(-1 / 150))));
    let ema = 0n;
    for (let second = 0; second < 150; second++) {
      ema += ((1_000_000_000n - ema) * BigInt(factor)) >> 32n;
    }
    expect(text).toContain(`reaches ${Number(ema) / 1e6} after 150 s`);
  });

  test('R-funding: the table of rates follows from the formula', () => {
    const section = text.slice(text.indexOf('### R-funding\n'), text.indexOf('### R-funding-gaps'));
    const rows = [...section.matchAll(/^\| ([−\d.]+)(?: to ([−\d.]+))? \| ([−\d.]+)/gm)];
    expect(rows.length).toBe(4);
    const e10 = (words: string): number => Math.round(Number(words.replace('−', '-')) * 1e10);
    const clamp = (value: number, most: number): number => Math.max(-most, Math.min(most, value));
    for (const [, from = '', to = from, rate = ''] of rows) {
      for (const premium of [e10(from), e10(to)]) {
        const eightHours = premium + clamp(1e6 - premium, 5e6);
        // Rounds half up, as the venue rounds displayed values.
        expect(clamp(Math.floor(eightHours / 8 + 0.5), 4e8)).toBe(e10(rate));
      }
    }
  });

  /**
   * Returns the premium and the rate for an impact price at an oracle price of 100, formatted as in
   * the tables.
   */
  const ratesAt = (mark: string, side: string, impact: string): readonly [string, string] => {
    const price = { numerator: BigInt(Math.round(Number(impact) * 100)), denominator: 1n };
    const perp = { mark: Math.round(Number(mark) * 100), oracle: 10_000, definition: {} };
    const premium = premiumE10(
      perp,
      side === 'bid' ? price : undefined,
      side === 'ask' ? price : undefined,
    );
    return [words(premium), words(BigInt(fundingRateE10(premium, defaultParameters('Any'))))];
  };
  const words = (e10: bigint): string => formatDecimal(e10, 10).replace('-', '−');

  test('R-funding: the example premiums and the highest rate in the guide are correct', () => {
    const section = text.slice(text.indexOf('### R-funding\n'), text.indexOf('### R-funding-gaps'));
    const rows = [
      ...section.matchAll(/^\| mark ([\d.]+), impact(Bid|Ask) ([\d.]+) \| (.+) \| (.+) \|$/gm),
    ];
    expect(rows).toHaveLength(5);
    for (const [, mark = '', side = '', impact = '', premium, rate] of rows) {
      expect([premium, rate]).toEqual(ratesAt(mark, side.toLowerCase(), impact));
    }
    const guide = readFileSync(join(REPOSITORY, 'docs/trade/funding.md'), 'utf8');
    const most = fundingRateE10(BigInt(premiumCapE8({})) * 100n, defaultParameters('Any'));
    expect(section).toContain(`${most / 1e10} is the highest rate`);
    expect(guide).toContain(`at most ${most / 1e10} (${most / 1e8}%)`);
  });

  test('R-funding: the worked sample in the guide is correct', () => {
    const guide = readFileSync(join(REPOSITORY, 'docs/trade/funding.md'), 'utf8');
    const impact = { numerator: 1_083_000n * 100n, denominator: 5_990n };
    const at = (mark: number, bid = impact) =>
      Number(premiumE10({ mark, oracle: 18_000, definition: {} }, bid, undefined)) / 1e10;
    expect(guide).toContain(`premium   = 0.801336 / 180 = ${at(18_120)}`);
    expect(guide).toContain(`0.5 / 180 = ${at(18_050)}`);
    const high = { numerator: 19_000n, denominator: 1n };
    expect(guide).toContain(`1.6 / 180 = ${at(18_160, high)}`);
  });

  test('R-fillable: the example is correct to the micro-USDC', () => {
    const section = text.slice(text.indexOf('### R-fillable'), text.indexOf('### R-isolated'));
    const [, stays, goes] =
      /balance of ([\d.]+), the order stays; with ([\d.]+), it is/.exec(section) ?? [];
    const left = (funds: string | undefined, price: number): number => {
      const venue = Scenario.open({ accounts: [] });
      venue.fund(actor(0xa), Math.round(Number(funds) * 1e6));
      expect(venue.one(actor(0xa), { price: px(price), size: 6_000 }).state).toBe('open');
      venue.wait(1_000).block();
      return venue.state.perps.get(PERP.instrumentId)!.book.orderCount;
    };
    expect([left(stays, 101), left(goes, 101)]).toEqual([1, 0]);
    expect(section).toContain('bid for 60 at 170 by an account with 640');
    expect(left('640', 170)).toBe(0);
  });

  test("R-insurance-fund: the funding in the rulebook's and the guide's examples is correct", () => {
    const [, rate = '', fund = '', a = '', b = '', paid, received] =
      /rate is ([\d.]+) and the oracle price 100. The fund is long ([\d,]+) lots of 0.01, A is long ([\d,]+) and B short ([\d,]+). A pays ([\d.]+), B receives ([\d.]+)/.exec(
        text,
      ) ?? [];
    const count = (figure: string): number => Number(figure.replace(',', ''));
    const paying = { lots: count(fund) + count(a), ofFund: count(fund) };
    const amount = (size: number): number =>
      Number(fundingAmount(size, px(100), Math.round(Number(rate) * 1e10), paying)) / 1e6;
    expect([amount(count(a)), amount(-count(b))]).toEqual([-Number(paid), Number(received)]);
    const guide = readFileSync(join(REPOSITORY, 'docs/trade/funding.md'), 'utf8');
    expect(guide).toContain(`| A | 5 | 0.59375 | pays **${paid}** |`);
    expect(guide).toContain(`= **${received}** |`);
  });

  test("R-liquidation: the price gap table equals the engine's result", () => {
    const section = text.slice(
      text.indexOf('### R-liquidation'),
      text.indexOf('### R-insurance-fund'),
    );
    const rows = [
      ...section.matchAll(
        /^\| ([jkb]) \| ([\d,]+) \| .*\| (−?[\d,]+) \| .* \| \*\*([\d,]+)\*\* \|$/gm,
      ),
    ];
    const number = (words = ''): number => Number(words.replace('−', '-').replaceAll(',', ''));
    expect(rows.map(([, name]) => name)).toEqual(['j', 'k', 'b']);
    const [j, k, b] = [actor(0xe), actor(0xf), actor(0xb)] as const;
    const venue = openGap();
    for (const [at, account] of [j, k, b].entries())
      venue.fund(account, number(rows[at]?.[2]) * 1e6);
    deal(venue, [j, b], X);
    deal(venue, [k, j], Z);
    // This would be the result if every position were closed at the mark.
    const fall = [-25 * 100 + 8 * 100, -8 * 100, 25 * 100];
    expect(rows.map(([, , has, at]) => number(at) - number(has))).toEqual(fall);
    const { events } = jumpPrices(venue, 75, 92);
    expect([j, k, b].map((account) => Number(worth(venue, account)) / 1e6)).toEqual(
      rows.map(([, , , , end]) => number(end)),
    );
    const prices = events.flatMap((event) => (event.type === 'deleveraged' ? [event.price] : []));
    expect(prices.map((price) => (price / 1e4).toFixed(2))).toEqual(['82.80', '94.80']);
    const steps = events.flatMap((event) =>
      event.type === 'liquidationStep' ? [event.price] : [],
    );
    expect(steps).toEqual([px(80), px(94.8)]);
    for (const price of ['82.80', '94.80']) expect(section).toContain(`at ${price}`);
  });

  test('R-order-of-events, R-oracle-stale: the examples are correct', () => {
    const [owner, other] = [actor(0xa), actor(0xb)];
    const held = (usdc: number) => {
      const venue = openGap();
      venue.fund(owner, Math.round(usdc * 1e6));
      venue.fund(other, 1e12);
      deal(venue, [owner, other], X, 10);
      return venue;
    };
    const [, has, free] =
      /balance of ([\d,]+), of which ([\d,]+) can be withdrawn/.exec(text) ?? [];
    const venue = held(Number(has?.replaceAll(',', '')));
    expect(withdrawable(venue.state, venue.account(owner))).toBe(BigInt(Number(free) * 1e6));
    jumpPrices(venue, 150, 100);
    expect(withdrawable(venue.state, venue.account(owner))).toBe(1_000_000_000n);

    const [, sees, blind] =
      /([\d,]+) in cross and is long 10 in a stale market.*With ([\d,.]+) it is margin-restricted/.exec(
        text,
      ) ?? [];
    for (const [words, expected] of [
      [sees, false],
      [blind, true],
    ] as const) {
      const stale = held(Number(words?.replaceAll(',', '')));
      stale.wait(30_001).oracle(px(100), Z);
      const found = restrictingPerp(stale.state, crossScope(stale.account(owner)));
      expect(found !== undefined, words).toBe(expected);
    }
  });

  test('R-delist: the marks in the example are correct', () => {
    for (const samples of [360, 300]) {
      const hour = { ...createClosing(0, false), looked: 360, samples, sum: samples * px(100) };
      const mark = (closingMark(hour, px(120)) ?? 0) / 1e4;
      expect(text).toContain(`(${samples} × 100 + 360 × 120) / ${samples + 360} = ${mark}\``);
    }
  });
});
