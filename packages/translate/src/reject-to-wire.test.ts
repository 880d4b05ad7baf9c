import { describe, expect, test } from 'vitest';
import type { Reject, RejectReason } from '@oddlot/engine';
import { address, instrumentId, microUsdc } from '@oddlot/units';
import { BTC } from '@oddlot/testing/venue/http/test-replica';
import { rejectToWire, type RejectContext } from './reject-to-wire.ts';
import { nearestOn } from './rejects/orders.ts';

const signer = address(`0x${'a'.repeat(40)}`);
const other = address(`0x${'b'.repeat(40)}`);
const btc = { instrumentId: instrumentId(1) };
const market = { instrumentId: instrumentId(500_000) };
const lacking = { required: 2, available: 1 };
const context: RejectContext = {
  instruments: (id) => (id === 1 ? BTC : undefined),
  nonce: 77,
  entry: { field: 'orders[3]', price: '100.3', size: '0.123456', clientOrderId: 'x', expireMs: 5 },
};

/** The error code and exact text of every reject reason. */
const TABLE: {
  [Reason in RejectReason]: [Omit<Extract<Reject, { reason: Reason }>, 'reason'>, number, string];
} = {
  agentUnknown: [
    { signer },
    10003,
    `Authorization failed: Agent ${signer} is not authorized by any account`,
  ],
  accountUnknown: [{ signer }, 10006, 'No trading account found. Please deposit first.'],
  depositFirst: [{ signer }, 10006, 'Please deposit first'],
  actionExpired: [
    { expiresAfterMs: 5, timeMs: 9 },
    10016,
    'Action expired: expiresAfter 5, consensus time 9',
  ],
  nonceTooOld: [{ minExclusive: 100, maxExclusive: 200 }, 10004, 'Nonce too old'],
  nonceTooNew: [{ minExclusive: 100, maxExclusive: 200 }, 10004, 'Nonce too far in the future'],
  nonceBeforeLog: [
    { minExclusive: 90, maxExclusive: 200 },
    10004,
    'Nonce is from before this venue began: must be above 90',
  ],
  nonceUsed: [{}, 10004, 'Nonce already used'],
  nonceTooLow: [{ floor: 80 }, 10004, 'Nonce too low: must be above 80'],
  agentIsSelf: [{}, 10008, 'Cannot approve self as agent'],
  agentLabelTooLong: [{}, 10008, 'Agent name length exceeds maximum of 64 characters'],
  agentLabelUnknown: [{}, 10008, 'Agent with this label does not exist'],
  agentAddressUsed: [{}, 10008, 'Agent address is already used'],
  agentsFull: [{}, 10008, 'Max agents per account reached (100)'],
  multiSigUnknown: [{ user: signer }, 10003, `Not a multi-sig account: ${signer}`],
  signerNotInSet: [
    { signer, user: other },
    10003,
    `Signer ${signer} is not authorized for ${other}`,
  ],
  signaturesMissing: [{ count: 1, threshold: 2 }, 10003, 'Not enough signatures: 1 of 2'],
  multiSigRequired: [{}, 10003, 'Multi-sig account requires a multiSig payload'],
  multiSigSetInvalid: [{ why: 'x' }, 10000, 'Invalid multi-sig signers'],
  vaultUnknown: [{ vault: signer }, 10003, `Vault not registered: ${signer}`],
  vaultLeaderDiffers: [{ vault: signer }, 10003, `Not the leader of vault ${signer}`],
  vaultInvalid: [{ why: 'agent' }, 10008, 'Agent address is already used'],
  gated: [{ gate: 'closed', channel: 0 }, 10007, 'Exchange is not allowed'],
  builderInvalid: [{}, 10012, 'Invalid builder address'],
  builderIsSelf: [{}, 10012, 'Builder cannot be the signer'],
  builderFeeInvalid: [{}, 10012, 'Invalid max fee rate'],
  buildersFull: [{}, 10012, 'Max approved builders reached (20)'],
  builderUnknown: [{}, 10012, 'Builder is not approved'],
  builderRewardsNone: [{}, 10012, 'No unclaimed builder rewards'],
  tokenUnknown: [{ token: 1 }, 10000, 'Unknown token: 1'],
  amountInexact: [
    { floor: microUsdc(1_500_000) },
    10000,
    'Size precision does not match the lot size: 0.000001',
  ],
  addressInvalid: [{ address: signer }, 10014, 'Invalid address'],
  sameSubAccount: [{}, 10014, 'Source and destination are the same'],
  transferBelowMin: [{ min: microUsdc(1_000_000) }, 10014, 'Below minimum transfer amount'],
  withdrawBelowMin: [{ min: microUsdc(2_000_000) }, 10014, 'Below minimum withdraw amount'],
  insuranceBelowTarget: [{}, 10000, 'Insurance fund is below its target'],
  instrumentUnknown: [btc, 10404, 'Instrument not found'],
  marketClosing: [btc, 10011, 'Market is closing'],
  instrumentDelisted: [btc, 10000, 'Instrument is delisted: BTC-USDC'],
  tradingHalted: [btc, 10000, 'Trading is halted for BTC-USDC'],
  oracleStale: [btc, 10000, 'Oracle is stale for BTC-USDC'],
  sizeBelowMin: [{ ...btc, min: 1 }, 10000, 'Order size is below the minimum: 0.00001'],
  sizeOffLot: [btc, 10000, 'Size precision does not match the lot size: 0.00001'],
  sizeAboveMax: [{ ...btc, max: 250_000 }, 10000, 'Order size exceeds the maximum: 2.5'],
  priceOutOfRange: [btc, 10000, 'Price is out of range'],
  priceOffTick: [btc, 10000, 'Price precision does not match the tick size: 0.5'],
  priceTooFar: [{ ...btc, min: 10, max: 20 }, 10000, 'Price is too far from the oracle'],
  valueBelowMin: [
    { min: microUsdc(10_000_000) },
    10000,
    'Order must have a minimum value of 10 USDC',
  ],
  expiryTooSoon: [{ minMs: 9 }, 10011, 'Expire time must be at least 5 s ahead'],
  clientOrderIdInvalid: [{}, 10011, 'Invalid cloid format'],
  clientOrderIdDuplicate: [{}, 10011, 'Duplicate cloid'],
  ordersFull: [{ max: 5000 }, 10011, 'Too many open orders: 5000'],
  reduceOnlyIncreases: [{}, 10011, 'Reduce only order would increase position'],
  positionLimit: [btc, 10010, 'Position limit exceeded for BTC-USDC'],
  marginInsufficient: [
    { required: microUsdc(1_500_000), available: microUsdc(-1) },
    10010,
    'Insufficient margin',
  ],
  postOnlyWouldTrade: [{}, 10011, 'Post only order would have immediately matched'],
  operatorUnknown: [
    { signer, action: 'setPerp' },
    10003,
    'Signer is not permitted to send venueAdmin',
  ],
  termOver: [
    { lease: 'oracle', number: 1, current: 2 },
    10002,
    'Invalid term: oracle is in term 2',
  ],
  adminsNone: [{}, 10000, 'At least one admin must remain'],
  instrumentIdUsed: [{ instrumentId: 3 }, 10017, 'Instrument id already used: 3'],
  nameUsed: [{ name: 'BTC-USDC' }, 10017, 'Name already used: BTC-USDC'],
  definitionInvalid: [{ field: 'takerFeeE8', why: 'x' }, 10002, 'Invalid takerFeeRate: x'],
  marginTableInvalid: [{ why: 'no tiers' }, 10017, 'Invalid margin table: no tiers'],
  markBandInvalid: [
    { gotE8: 1_000_000, maxE8: 223_587 },
    10017,
    'Invalid mark band: above 0.00223587',
  ],
  feeTiersInvalid: [{ why: 'no tiers' }, 10002, 'Invalid tiers: no tiers'],
  marginModeDiffers: [{}, 10009, "Margin mode differs from the open position's"],
  onlyIsolated: [btc, 10009, 'Only isolated margin is allowed for BTC-USDC'],
  triggersFull: [{ max: 500 }, 10011, 'Too many open orders: 500'],
  groupingInvalid: [{ why: 'x' }, 10002, 'Invalid grouping: x'],
  orderUnknown: [{}, 10011, 'Order not found'],
  leverageInvalid: [{ leverage: -3 }, 10009, 'Invalid leverage: -3'],
  leverageOpenOrders: [{}, 10009, 'Cannot update leverage while you have open orders'],
  leverageTpslOrders: [{}, 10009, 'Cannot update leverage while you have TPSL orders'],
  leverageTriggerOrders: [{}, 10009, 'Cannot update leverage while you have trigger orders'],
  leverageTooHigh: [{ ...btc, max: 50 }, 10009, 'Maximum leverage exceeded for BTC-USDC'],
  positionModeOpenPositions: [
    {},
    10009,
    'Cannot update position mode while you have open positions',
  ],
  positionModeOpenOrders: [{}, 10009, 'Cannot update position mode while you have open orders'],
  marginModeOpenPositions: [{}, 10009, 'Cannot update margin mode while you have open positions'],
  marginModeOpenOrders: [{}, 10009, 'Cannot update margin mode while you have open orders'],
  isolatedPositionMissing: [btc, 10010, 'No isolated position for BTC-USDC'],
  positionMissing: [btc, 10010, 'No position for BTC-USDC'],
  balanceInsufficient: [
    { required: microUsdc(2), available: microUsdc(1) },
    10010,
    'Insufficient balance',
  ],
  marginNotFree: [
    { required: microUsdc(2), available: microUsdc(1) },
    10010,
    'Cannot remove more margin than is free',
  ],
  scheduleTooSoon: [{ minMs: 9 }, 10000, 'time must be at least 5 s ahead'],
  reverseUnderWay: [btc, 10011, 'A reverse is already under way for BTC-USDC'],
  amendWouldTake: [{}, 10011, 'Amend would take liquidity on a delayed market'],
  orderExpiredQueued: [{ expireMs: 5 }, 10011, 'Order expired while queued'],
  orderQueued: [{}, 10011, 'Order is queued and cannot be cancelled before release'],
  outcomeUnknown: [market, 10015, 'Instrument is not an outcome market'],
  marketClosed: [market, 10011, 'Market is closed'],
  marketResolved: [market, 10015, 'Outcome market is resolved'],
  iocOnOutcome: [{}, 10011, 'Ioc is not supported for outcome markets'],
  triggerOnOutcome: [{}, 10011, 'Trigger orders are not supported for outcome markets'],
  sharesInsufficient: [{ ...market, ...lacking }, 10015, 'Insufficient shares'],
  pairsInsufficient: [{ ...market, ...lacking }, 10015, 'Insufficient shares to merge'],
  slugUsed: [{ slug: 'rain' }, 10017, 'Slug already used: rain'],
  eventUnknown: [{ slug: 'rain' }, 10404, 'Event not found'],
  phaseChangeInvalid: [
    { ...market, from: 'closed', to: 'open' },
    10017,
    'Invalid phase change: closed to open',
  ],
  alreadyResolved: [market, 10017, 'Already resolved'],
  fractionInexact: [
    { instrumentId: instrumentId(1), floor: 1 },
    10002,
    'Invalid settlementFraction: must be a multiple of 0.1',
  ],
  fractionsOff: [{}, 10017, 'Fractions of the event must sum to 1'],
  orderNotLive: [btc, 10011, 'Order was never placed, already canceled, or filled. asset=1'],
};

const translate = (reason: RejectReason) =>
  rejectToWire({ reason, ...TABLE[reason][0] } as Reject, context);

test.each(Object.keys(TABLE) as RejectReason[])(
  'the reject %s has its documented code and message',
  (reason) => {
    const [, code, message] = TABLE[reason];
    const wire = translate(reason);
    expect(wire).toMatchObject({ code, message, httpStatus: code === 10002 ? 400 : 200 });
    expect(() => JSON.stringify(wire)).not.toThrow();
  },
);

test('a rejection’s details help the client correct its request', () => {
  expect(translate('priceOffTick').details).toMatchObject({
    field: 'orders[3].p',
    got: '100.3',
    nearest: ['100', '100.5'],
  });
  expect(translate('sizeOffLot').details).toMatchObject({
    field: 'orders[3].s',
    nearest: ['0.12345', '0.12346'],
  });
  expect(translate('marginInsufficient').details).toMatchObject({
    required: '1.5',
    available: '-0.000001',
  });
  expect(translate('accountUnknown').details).toMatchObject({ got: signer });
  expect(translate('priceTooFar').details).toMatchObject({ allowed: { min: '1', max: '2' } });
  expect(translate('nonceTooLow').details).toMatchObject({ got: 77, allowed: { min: 81 } });
});

test('details distinguish an off-tick price from an off-tick trigger price', () => {
  const offTick: Reject = { reason: 'priceOffTick', ...btc };
  const entry = { field: 'orders[0]', price: '100', triggerPrice: '90.2' };
  expect(rejectToWire(offTick, { ...context, entry }).details).toMatchObject({
    field: 'orders[0].t.trigger.triggerPx',
    got: '90.2',
    nearest: ['90', '90.5'],
  });
  const both = { ...entry, price: '100.1' };
  expect(rejectToWire(offTick, { ...context, entry: both }).details).toMatchObject({
    field: 'orders[0].p',
    nearest: ['100', '100.5'],
  });
});

test('the details for an action without a list have the action’s own fields', () => {
  const unknown: Reject = { reason: 'instrumentUnknown', instrumentId: instrumentId(9) };
  const entry = { field: '', instrument: 'asset' } as const;
  expect(rejectToWire(unknown, { ...context, entry }).details).toMatchObject({
    field: 'asset',
    got: 9,
  });
});

test.each([
  ['blacklisted', 'User is blacklisted'],
  ['closed', 'Exchange is not allowed'],
  ['notWhitelisted', 'User not in whitelist'],
  ['notGranted', 'User not authorized for this channel'],
] as const)('the gate reason %s has its own message', (gate, message) => {
  expect(rejectToWire({ reason: 'gated', gate, channel: 0 }, context)).toMatchObject({
    code: 10007,
    message,
  });
});

test.each([
  ['builder', 10012, 'Invalid builder address'],
  ['multiSig', 10000, 'Invalid multi-sig signers'],
  ['fund', 10002, 'Invalid vault: is the insurance fund'],
] as const)('an address that is a %s cannot be a vault', (why, code, message) => {
  expect(rejectToWire({ reason: 'vaultInvalid', why }, context)).toMatchObject({
    code,
    message,
    details: { field: 'vault' },
  });
});

test('a rejected money transfer quotes the amount as the client wrote it', () => {
  const reject: Reject = {
    reason: 'balanceInsufficient',
    required: microUsdc(5_000_000),
    available: microUsdc(1_000_000),
    reservedBy: [{ what: 'initialMargin', amount: microUsdc(3_000_000) }],
  };
  const entry = { field: '', amount: '5.0' };
  expect(rejectToWire(reject, { ...context, entry }).details).toMatchObject({
    field: 'amount',
    got: '5.0',
    required: '5',
    available: '1',
    reservedBy: [{ what: 'initialMargin', amount: '3' }],
  });
  const inexact: Reject = { reason: 'amountInexact', floor: microUsdc(1_500_000) };
  const fine = { field: '', amount: '1.5000001' };
  expect(rejectToWire(inexact, { ...context, entry: fine }).details).toMatchObject({
    field: 'amount',
    got: '1.5000001',
    nearest: ['1.5', '1.500001'],
  });
});

test("fields of a wrapped action have the wrapper's path, and envelope fields do not", () => {
  const field = (reject: Reject) =>
    rejectToWire(reject, { ...context, isWrapped: true }).details?.field;
  expect(field({ reason: 'sizeOffLot', ...btc })).toBe('payload.action.orders[3].s');
  expect(field({ reason: 'agentIsSelf' })).toBe('payload.action.agentAddress');
  expect(field({ reason: 'nonceUsed' })).toBe('nonce');
  expect(field({ reason: 'vaultUnknown', vault: signer })).toBe('vaultAddress');
  expect(field({ reason: 'signaturesMissing', count: 1, threshold: 2 })).toBe('signatures');
  expect(field({ reason: 'multiSigUnknown', user: signer })).toBe('payload.multiSigUser');
});

describe('details include the nearest values on the grid', () => {
  test.each([
    ['100.3', 1, 5n, undefined, ['100', '100.5']],
    ['100.5', 1, 5n, undefined, ['100.5', '100.5']],
    ['100.50000000000000000000001', 1, 5n, undefined, ['100.5', '101']],
    ['0.2', 1, 5n, undefined, [null, '0.5']],
    ['-3', 1, 5n, undefined, [null, null]],
    ['9007199254740993', 0, 2n, undefined, [null, null]],
    ['125', -1, 1n, undefined, ['120', '130']],
    ['5', -1, 1n, undefined, [null, '10']],
    // Prices on outcome markets are below 1.
    ['0.985', 4, 100n, 10_000n, ['0.98', '0.99']],
    ['0.995', 4, 100n, 10_000n, ['0.99', null]],
  ] as const)(
    'the valid values next to %s are on the grid',
    (text, decimals, step, end, expected) => {
      expect(nearestOn(text, decimals, step, end)).toEqual(expected);
    },
  );
});
