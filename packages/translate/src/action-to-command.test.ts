import { signerOf } from '@oddlot/engine';
import { ACTIONS } from '@oddlot/protocol';
import { describe, expect, test } from 'vitest';
import type { RequestCommand } from '@oddlot/replica/block';
import { ACTION_TYPES } from './action-to-command.ts';

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

describe('each engine command corresponds to an API action', () => {
  test.each(REQUESTS)(
    'R-agents: the API and the engine require the same key for $type',
    (request) => {
      expect(ACTIONS[request.action].signedBy).toBe(SIGNED_BY[request.signer]);
    },
  );

  test('every action type except the multiSig wrapper has a command', () => {
    const reached = new Set<string>(REQUESTS.map(({ action }) => action));
    const actions = Object.keys(ACTIONS).filter((type) => type !== 'multiSig');
    expect([...reached].sort()).toEqual(actions.sort());
  });

  test('deployers send outcomeDeploy actions and admins send venueAdmin actions', () => {
    const roles = { admins: 'venueAdmin', deployers: 'outcomeDeploy' } as const;
    for (const { action, signer, type } of REQUESTS) {
      if (signer !== 'admins' && signer !== 'deployers') continue;
      expect(action, type).toBe(roles[signer]);
    }
  });
});
