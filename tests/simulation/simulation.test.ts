import { expect, test } from 'vitest';
import { simulate, type SimulationReport } from './sim.ts';

/**
 * Fixed seeds, so that a change shows at once; fresh ones are tried beside this file. Larger: `npm run test:long`,
 * or `node tests/simulation/sim.ts --seed N --commands M`.
 */

const COMMANDS = Number(process.env['SIM_COMMANDS'] ?? 200_000);
const SEEDS = [1, 2, 3, 4];

const EVENTS = [
  'accountCreated',
  'agentChanged',
  'bridgeOpened',
  'deleveraged',
  'depositCredited',
  'faucetCredited',
  'feeTiersChanged',
  'fundingPaid',
  'liquidationStep',
  'markUpdated',
  'orderUpdated',
  'perpChanged',
  'perpRegistered',
  'perpSettled',
  'positionSettled',
  'reverseJobChanged',
  'settingsChanged',
  'tradeExecuted',
];

/** That the checks after every block had something to judge. */
const JUDGED = ['judged: at risk', 'judged: deleveraged'];

const STEPS = [
  'cross adl',
  'cross cancel',
  'cross insurance',
  'cross market',
  'cross pair',
  'isolated adl',
  'isolated cancel',
  'isolated insurance',
  'isolated market',
  'isolated net',
  'reverse closing',
  'reverse done',
  'reverse failed',
  'reverse opening',
];

const CANCELS = [
  'amendedBelowFilled',
  'delisted',
  'expired',
  'iocRemainder',
  'liquidation',
  'marginCanceled',
  'parentCanceled',
  'reduceOnly',
  'scheduledCancel',
  'selfTrade',
  'siblingFilled',
  'userCanceled',
];

const REFUSALS = [
  'accountUnknown',
  'agentAddressUsed',
  'agentLabelUnknown',
  'agentUnknown',
  'balanceInsufficient',
  'clientOrderIdDuplicate',
  'expiryTooSoon',
  'groupingInvalid',
  'instrumentDelisted',
  'instrumentUnknown',
  'isolatedPositionMissing',
  'leverageInvalid',
  'leverageOpenOrders',
  'leverageTooHigh',
  'leverageTpslOrders',
  'leverageTriggerOrders',
  'marginInsufficient',
  'marginModeDiffers',
  'marginModeOpenOrders',
  'marginModeOpenPositions',
  'marginNotFree',
  'marketClosing',
  'nonceUsed',
  'oracleStale',
  'orderNotLive',
  'orderUnknown',
  'positionLimit',
  'positionMissing',
  'positionModeOpenOrders',
  'positionModeOpenPositions',
  'postOnlyWouldTrade',
  'priceOffTick',
  'priceTooFar',
  'reduceOnlyIncreases',
  'reverseUnderWay',
  'scheduleTooSoon',
  'sizeAboveMax',
  'sizeBelowMin',
  'tradingHalted',
  'valueBelowMin',
];

test('the venue survives fixed histories, and they reach the corners', () => {
  const reached = new Set<string>();
  for (const seed of SEEDS) {
    const report = simulate({ seed, commands: Math.ceil(COMMANDS / SEEDS.length) });
    expectBusy(report);
    for (const what of Object.keys(report.endings)) reached.add(what);
  }
  expect([...reached]).toEqual(
    expect.arrayContaining([...EVENTS, ...JUDGED, ...STEPS, ...CANCELS, ...REFUSALS]),
  );
}, 300_000);

function expectBusy(report: SimulationReport): void {
  // Four along the way, and one in the middle of the closing hour.
  expect(report.restores).toBe(5);
  expect(report.trades).toBeGreaterThan(report.commands / 10);
}

test('the same seed gives the same history, another seed another', () => {
  const digestOf = (seed: number) => simulate({ seed, commands: 2_000 }).digest;
  expect(digestOf(5)).toBe(digestOf(5));
  expect(digestOf(5)).not.toBe(digestOf(6));
});
