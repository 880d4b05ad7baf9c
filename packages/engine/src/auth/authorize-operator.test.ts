import { instrumentId, timeMs } from '@oddlot/units';
import { describe, expect, test } from 'vitest';
import { checkCommand } from '../commands/commands.ts';
import type { Command, Operator } from '../messages/command.ts';
import { LIMITS } from '../messages/limits.ts';
import {
  actor,
  alice,
  PARAMETERS,
  PERP,
  Scenario,
  START_MS,
} from '@oddlot/testing/engine/scenario';

const admin = PARAMETERS.admins[0] ?? alice;

function halt(operator?: Operator): Command {
  const { instrumentId } = PERP;
  const change = { type: 'setPerp', instrumentId, halted: true, changes: {} } as const;
  return operator === undefined ? change : { ...change, operator };
}

describe('operator commands are authorized by role, nonce window and expiry', () => {
  test('an operator command without a signature passes, because it comes from the venue itself', () => {
    const venue = Scenario.open();
    expect(checkCommand(venue.state, halt(), venue.nowMs)).toEqual({});
    expect(venue.outcome(halt())).toEqual({});
  });

  test('an operator command signed by an admin without an account passes and consumes its nonce', () => {
    const venue = Scenario.open();
    const operator = venue.authority(admin);
    expect(checkCommand(venue.state, halt(operator), venue.nowMs)).toEqual({});
    expect(venue.outcome(halt(operator))).toEqual({});
    expect(venue.state.signers.get(admin)?.used).toEqual([operator.nonce]);
    expect(venue.outcome(halt(operator))).toEqual({ reject: { reason: 'nonceUsed' } });
    expect(checkCommand(venue.state, halt(operator), venue.nowMs)).toEqual({
      reject: { reason: 'nonceUsed' },
    });
  });

  test('an operator command that is rejected for its content also consumes its nonce', () => {
    const venue = Scenario.open();
    const operator = venue.authority(admin);
    const unknown = instrumentId(77);
    const command = { type: 'setPerp', instrumentId: unknown, changes: {}, operator } as const;
    expect(venue.outcome(command)).toMatchObject({ reject: { reason: 'instrumentUnknown' } });
    expect(venue.state.signers.get(admin)?.used).toEqual([operator.nonce]);
  });

  test.each([
    [{ type: 'registerPerp', perp: { ...PERP, name: 'NEW-USDC' } }],
    [{ type: 'setPerp', instrumentId: PERP.instrumentId, changes: {} }],
    [{ type: 'setFeeTiers', tiers: PARAMETERS.feeTiers }],
    [{ type: 'pushOracle', prices: [], observedMs: timeMs(START_MS) }],
  ] as const)('an operator command of another signer is rejected without effect: %o', (command) => {
    const venue = Scenario.open();
    const operator = venue.authority(alice);
    const reject = { reason: 'operatorUnknown', signer: alice, action: command.type };
    const signed: Command = { ...command, operator };
    expect(checkCommand(venue.state, signed, venue.nowMs)).toEqual({ reject });
    expect(venue.outcome(signed)).toEqual({ reject });
    expect(venue.state.signers.has(alice)).toBe(false);
  });

  test('an operator command signed before the start of the log is rejected before the role is checked', () => {
    const venue = Scenario.open();
    for (const signer of [admin, alice]) {
      const outcome = venue.outcome(halt(venue.authority(signer, START_MS)));
      expect(outcome).toMatchObject({
        reject: { reason: 'nonceBeforeLog', minExclusive: START_MS },
      });
    }
  });

  test('an operator command signed by an agent of an admin is rejected', () => {
    const venue = Scenario.open();
    const agent = actor(0xa9e47);
    venue.fund(admin, 1_000_000);
    expect(venue.approve(admin, agent).reject).toBeUndefined();
    expect(venue.outcome(halt(venue.authority(agent)))).toMatchObject({
      reject: { reason: 'operatorUnknown', signer: agent },
    });
  });

  test('an operator’s nonce window is checked before the role, and the expiry before the nonce', () => {
    const venue = Scenario.open().wait(2 * LIMITS.nonceAgeMs);
    const old = venue.nowMs - LIMITS.nonceAgeMs;
    const far = venue.nowMs + LIMITS.nonceAheadMs;
    const table = [
      [venue.authority(alice, old), 'nonceTooOld'],
      [venue.authority(alice, far), 'nonceTooNew'],
      [venue.authority(admin, old + 1), undefined],
      [venue.authority(admin, far - 1), undefined],
      [
        { ...venue.authority(admin, far - 1), expiresAfterMs: timeMs(venue.nowMs - 1) },
        'actionExpired',
      ],
      [venue.authority(admin, far - 1), 'nonceUsed'],
    ] as const;
    for (const [operator, reason] of table) {
      expect(venue.outcome(halt(operator)).reject?.reason).toBe(reason);
    }
  });
});
