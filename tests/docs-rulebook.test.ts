import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { blindBy, crossScope } from '../packages/engine/src/perp/blind.ts';
import { closingMark } from '../packages/engine/src/perp/closing.ts';
import { withdrawable } from '../packages/engine/src/perp/doors.ts';
import { createClosing } from '../packages/engine/src/state/closing.ts';
import { deal, leap, openGap, px, worth, X, Z } from '../packages/engine/src/testing/gaps.ts';
import { actor } from '../packages/engine/src/testing/scenario.ts';
import { defaultParameters, genesisCommands } from '../packages/venue/src/genesis-commands.ts';
import { REPOSITORY } from './support/venue-process.ts';

/** The numbers that the rulebook gives are those that a new venue starts with. */

const text = readFileSync(join(REPOSITORY, 'docs/rulebook.md'), 'utf8');
const ROWS = [...text.matchAll(/^\| `(\w+)` \| ([^|]+) \| .*\|$/gm)];

/** A parameter as the table shows it: the unit is the end of its name. */
function shown(name: string, value: number): string {
  if (name.endsWith('MicroUsdc')) return `${(value / 1e6).toLocaleString('en-US')} USDC`;
  if (name.endsWith('E8')) return `${value / 1e6}%`;
  if (name.endsWith('E10')) return `${value / 1e8}%`;
  return name.endsWith('Ms') ? `${value / 1_000} s` : String(value);
}

describe('docs/rulebook.md', () => {
  test('has every number that a venue is configured with, and no other', () => {
    const table = text.slice(text.indexOf('## What is configured'));
    const listed = ROWS.filter(({ index }) => index >= text.length - table.length);
    const numbers = Object.entries(defaultParameters('Any')).filter(
      (entry): entry is [string, number] => typeof entry[1] === 'number',
    );
    expect(listed.map(([, name, value]) => `${name} ${value?.trim()}`).sort()).toEqual(
      numbers.map(([name, value]) => `${name} ${shown(name, value)}`).sort(),
    );
  });

  test('R-mark: the bands that it works out follow from its formula and the listed tiers', () => {
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

  test('R-ema: the constant and the vector that it gives', () => {
    const factor = Number(/\(sample − ema\) × (\d+) \/ 2\^32/.exec(text)?.[1]);
    expect(factor).toBe(Math.floor(2 ** 32 * (1 - Math.exp(-1 / 150))));
    let ema = 0n;
    for (let second = 0; second < 150; second++) {
      ema += ((1_000_000_000n - ema) * BigInt(factor)) >> 32n;
    }
    expect(text).toContain(`gives ${Number(ema) / 1e6} after 150 s`);
  });

  test('R-funding: its table of rates follows from its formula', () => {
    const section = text.slice(text.indexOf('### R-funding\n'), text.indexOf('### R-funding-gaps'));
    const rows = [...section.matchAll(/^\| ([−\d.]+)(?: to ([−\d.]+))? \| ([−\d.]+)/gm)];
    expect(rows.length).toBe(4);
    const e10 = (words: string): number => Math.round(Number(words.replace('−', '-')) * 1e10);
    const clamp = (value: number, most: number): number => Math.max(-most, Math.min(most, value));
    for (const [, from = '', to = from, rate = ''] of rows) {
      for (const premium of [e10(from), e10(to)]) {
        const eightHours = premium + clamp(1e6 - premium, 5e6);
        // Half up, as the venue rounds what it shows.
        expect(clamp(Math.floor(eightHours / 8 + 0.5), 4e8)).toBe(e10(rate));
      }
    }
  });

  test('R-liquidation: its table of a gap is what the engine does', () => {
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
    for (const [at, who] of [j, k, b].entries()) venue.fund(who, number(rows[at]?.[2]) * 1e6);
    deal(venue, [j, b], X);
    deal(venue, [k, j], Z);
    // What each would have if every position were closed at the mark.
    const fall = [-25 * 100 + 8 * 100, -8 * 100, 25 * 100];
    expect(rows.map(([, , has, at]) => number(at) - number(has))).toEqual(fall);
    const { events } = leap(venue, 75, 92);
    expect([j, k, b].map((who) => Number(worth(venue, who)) / 1e6)).toEqual(
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

  test('R-order-of-events, R-oracle-stale: their examples', () => {
    const [owner, other] = [actor(0xa), actor(0xb)];
    const held = (usdc: number) => {
      const venue = openGap();
      venue.fund(owner, Math.round(usdc * 1e6));
      venue.fund(other, 1e12);
      deal(venue, [owner, other], X, 10);
      return venue;
    };
    const [, has, free] = /on ([\d,]+), of which ([\d,]+) can be withdrawn/.exec(text) ?? [];
    const venue = held(Number(has?.replaceAll(',', '')));
    expect(withdrawable(venue.state, venue.account(owner))).toBe(BigInt(Number(free) * 1e6));
    leap(venue, 150, 100);
    expect(withdrawable(venue.state, venue.account(owner))).toBe(1_000_000_000n);

    const [, sees, blind] =
      /([\d,]+) in cross and long 10 of a stale market.*With ([\d,.]+) it is blind/.exec(text) ??
      [];
    for (const [words, expected] of [
      [sees, false],
      [blind, true],
    ] as const) {
      const stale = held(Number(words?.replaceAll(',', '')));
      stale.wait(30_001).oracle(px(100), Z);
      const found = blindBy(stale.state, crossScope(stale.account(owner)));
      expect(found !== undefined, words).toBe(expected);
    }
  });

  test('R-delist: the marks of its example', () => {
    for (const samples of [360, 300]) {
      const hour = { ...createClosing(0, false), looked: 360, samples, sum: samples * px(100) };
      const mark = (closingMark(hour, px(120)) ?? 0) / 1e4;
      expect(text).toContain(`(${samples} × 100 + 360 × 120) / ${samples + 360} = ${mark}\``);
    }
  });
});
