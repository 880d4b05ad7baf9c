import { signerOf } from '@oddlot/engine';
import { ACTIONS } from '@oddlot/protocol';
import { describe, expect, test } from 'vitest';
import type { RequestCommand } from '@oddlot/replica/block';
import { ACTION_TYPES } from './action-to-command.ts';

/** The required signer of each command, compared between the engine's table and the API. */
const SIGNED_BY = {
  agent: 'agent',
  ownKey: 'direct',
  admins: 'permissioned',
  deployers: 'permissioned',
  nobody: undefined,
} as const;

const REQUESTS = Object.keys(ACTION_TYPES).map((name) => {
  const type = name as RequestCommand['type'];
  return { type, action: ACTION_TYPES[type], signer: signerOf(type) };
});

describe('the action type of a command', () => {
  test.each(REQUESTS)(
    'R-agents: the API and the engine require the same key for $type',
    (request) => {
      expect(ACTIONS[request.action].signedBy).toBe(SIGNED_BY[request.signer]);
    },
  );

  test('every action becomes a command, and a wrapper becomes its inner command', () => {
    const reached = new Set<string>(REQUESTS.map(({ action }) => action));
    const actions = Object.keys(ACTIONS).filter((type) => type !== 'multiSig');
    expect([...reached].sort()).toEqual(actions.sort());
  });

  test('deployers send the actions on outcome markets, admins the other operator actions', () => {
    const roles = { admins: 'venueAdmin', deployers: 'outcomeDeploy' } as const;
    for (const { action, signer, type } of REQUESTS) {
      if (signer !== 'admins' && signer !== 'deployers') continue;
      expect(action, type).toBe(roles[signer]);
    }
  });
});
