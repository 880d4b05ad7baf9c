import { expect, test } from 'vitest';
import { simulate } from './sim.ts';

/**
 * A fixed seed, so that a change shows at once, and a fresh one, so that something new is tried on
 * every run. Larger: `node tests/simulation/sim.ts --seed N --commands M`.
 */

const COMMANDS = Number(process.env['SIM_COMMANDS'] ?? 200_000);
const FRESH_SEED = Number(process.env['SIM_SEED'] ?? Date.now() % 1_000_000_000);

const REACHED = [
  'agentAddressUsed',
  'agentUnknown',
  'expired',
  'iocRemainder',
  'marginCanceled',
  'marginInsufficient',
  'nonceUsed',
  'oracleStale',
  'positionLimit',
  'postOnlyWouldTrade',
  'reduceOnly',
  'reduceOnlyIncreases',
  'selfTrade',
  'userCanceled',
];

test('the venue survives a fixed history, and the history reaches the corners', () => {
  const report = simulate({ seed: 1, commands: Math.floor(0.75 * COMMANDS) });
  expect(report.restores).toBe(4);
  expect(report.trades).toBeGreaterThan(report.commands / 10);
  expect(Object.keys(report.endings)).toEqual(expect.arrayContaining(REACHED));
}, 180_000);

test(`the venue survives a fresh history, seed ${FRESH_SEED}`, () => {
  const commands = Math.floor(0.25 * COMMANDS);
  expect(simulate({ seed: FRESH_SEED, commands }).commands).toBeGreaterThanOrEqual(commands);
}, 180_000);

test('the same seed gives the same history, another seed another', () => {
  const digestOf = (seed: number) => simulate({ seed, commands: 2_000 }).digest;
  expect(digestOf(5)).toBe(digestOf(5));
  expect(digestOf(5)).not.toBe(digestOf(6));
});
