import { hash, instrumentId, timeMs } from '@oddlot/units';
import { describe, expect, test } from 'vitest';
import { ZERO_ADDRESS } from '../auth/agents.ts';
import { checkCommand, COMMANDS } from './commands.ts';
import type { Command, SignedCommand } from '../messages/command.ts';
import type { RejectReason } from '../messages/reject.ts';
import { CHAIN_ID } from '@oddlot/testing/engine/bridge';
import { EVENT, MARKET } from '@oddlot/testing/engine/outcomes';
import { alice, order, PARAMETERS, PERP, Scenario } from '@oddlot/testing/engine/scenario';
import { SERIES } from '@oddlot/testing/engine/series';

type Type = Command['type'];
type Of<Each extends Type> = Extract<Command, { readonly type: Each }>;

/** A command that admission rejects, with the expected reason. The test adds the signer. */
type Refused<Each extends Type> = readonly [
  reason: RejectReason,
  command: Omit<Of<Each>, 'type' | 'authority' | 'operator'>,
];

const UNKNOWN = instrumentId(77);
const HASH = hash(`0x${'1'.repeat(64)}`);

/**
 * A rejected example of each command; `never` means that the command cannot be rejected as a whole.
 */
const REFUSED: { readonly [Each in Type]: Refused<Each> | 'never' } = {
  placeOrders: ['sizeBelowMin', { orders: [order({ price: 1_000_000, size: 0 })] }],
  modifyOrder: [
    'orderUnknown',
    { instrumentId: PERP.instrumentId, target: { orderId: 99 }, price: 1, size: 1 },
  ],
  cancelOrders: 'never',
  cancelByClientId: ['orderQueued', { cancels: [] }],
  cancelAll: 'never',
  scheduleCancel: ['scheduleTooSoon', { atMs: timeMs(0) }],
  reversePosition: ['instrumentUnknown', { instrumentId: UNKNOWN }],
  operateOutcome: [
    'outcomeUnknown',
    { kind: 'split', entries: [{ instrumentId: PERP.instrumentId, size: 1 }] },
  ],
  updateLeverage: ['instrumentUnknown', { instrumentId: UNKNOWN, leverage: 2 }],
  updateMarginMode: ['instrumentUnknown', { instrumentId: UNKNOWN, marginMode: 'cross' }],
  updateIsolatedMargin: [
    'instrumentUnknown',
    { instrumentId: UNKNOWN, isBuy: true, amountMicroUsdc: 1 },
  ],
  updatePositionMode: ['positionModeOpenOrders', { mode: 'hedge' }],
  approveAgent: ['agentIsSelf', { agent: alice, label: '' }],
  approveBuilder: ['builderIsSelf', { builder: alice, maxFeeE8: 1, maxFeeText: '0.000001%' }],
  revokeBuilder: ['builderUnknown', { builder: alice }],
  convertToMultiSig: ['multiSigSetInvalid', {}],
  sendToken: [
    'tokenUnknown',
    { destination: alice, token: 9, amountMicroUsdc: 1, from: 'perp', to: 'outcome' },
  ],
  withdraw: ['withdrawBelowMin', { destination: alice, amountMicroUsdc: 0 }],
  claimBuilderRewards: ['builderRewardsNone', {}],
  registerPerp: ['instrumentIdUsed', { perp: PERP }],
  setPerp: ['instrumentUnknown', { instrumentId: UNKNOWN, changes: {} }],
  pushOracle: 'never',
  setFeeTiers: ['feeTiersInvalid', { tiers: [] }],
  setGate: ['definitionInvalid', { channel: 0, grants: { add: [{ user: alice, code: 'none' }] } }],
  registerVault: ['addressInvalid', { vault: ZERO_ADDRESS, leader: alice, name: 'v' }],
  treasurySend: ['transferBelowMin', { destination: alice, amountMicroUsdc: 0 }],
  setOperators: ['adminsNone', { role: 'admins', remove: PARAMETERS.admins }],
  registerEvent: ['definitionInvalid', { event: { ...EVENT, endMs: EVENT.startMs } }],
  registerMarket: ['eventUnknown', { market: MARKET }],
  registerSeries: ['definitionInvalid', { series: { ...SERIES, firstStartMs: timeMs(1) } }],
  setTrading: ['instrumentUnknown', { instrumentIds: [UNKNOWN], to: 'open' }],
  pushPrice: 'never',
  resolveMarket: [
    'instrumentUnknown',
    { instrumentId: UNKNOWN, fraction: 0, oracleOutcome: null, evidence: null },
  ],
  genesis: 'never',
  attest: 'never',
  announceEra: 'never',
  openEra: 'never',
  creditFaucet: [
    'addressInvalid',
    { account: ZERO_ADDRESS, subAccount: 'perp', amountMicroUsdc: 1 },
  ],
  creditDeposit: [
    'definitionInvalid',
    {
      account: alice,
      amountMicroUsdc: 1,
      source: { chainId: CHAIN_ID, txHash: HASH, logIndex: 0, blockNumber: 1 },
      isOwn: false,
    },
  ],
  settleWithdrawal: 'never',
  openBridge: 'never',
  registerPegs: 'never',
  publishReserves: 'never',
};

const TYPES = Object.keys(COMMANDS) as Type[];
const JUDGED = TYPES.flatMap((type) => {
  const refused = REFUSED[type];
  return refused === 'never' ? [] : [{ type, reason: refused[0], command: refused[1] }];
});

/** Returns a venue in which alice has an order in the book, without a bridge or outcome market. */
function venue(): Scenario {
  const scenario = Scenario.open();
  scenario.place(alice, order({ price: 900_000, size: 100 }));
  return scenario;
}

function isSignedType(type: Type): type is SignedCommand['type'] {
  const { signedBy } = COMMANDS[type];
  return signedBy === 'agent' || signedBy === 'ownKey';
}

describe('every command is checked the same way at admission and at execution', () => {
  test.each(JUDGED)('admission and execution both reject $type with $reason', (refused) => {
    const scenario = venue();
    const signature = isSignedType(refused.type) ? { authority: scenario.authority(alice) } : {};
    const command = { type: refused.type, ...signature, ...refused.command } as Command;
    expect(checkCommand(scenario.state, command, scenario.nowMs).reject?.reason).toBe(
      refused.reason,
    );
    const { entries, reject } = scenario.outcome(command);
    // Each order is executed separately.
    expect((reject ?? entries?.[0]?.reject)?.reason).toBe(refused.reason);
  });

  test('only commands without conditions are admitted without a check', () => {
    const unchecked = TYPES.filter((type) => COMMANDS[type].check.length === 0);
    expect(unchecked).toEqual(TYPES.filter((type) => REFUSED[type] === 'never'));
    // Among the commands that accounts sign, only cancels are listed here; they are checked at
    // execution.
    expect(unchecked.filter(isSignedType)).toEqual(['cancelOrders', 'cancelAll']);
  });

  test('R-agents: commands that move money or grant authority require the account’s own key', () => {
    const own = TYPES.filter((type) => COMMANDS[type].signedBy === 'ownKey');
    expect(own).toEqual([
      'approveAgent',
      'approveBuilder',
      'revokeBuilder',
      'convertToMultiSig',
      'sendToken',
      'withdraw',
    ]);
  });
});
