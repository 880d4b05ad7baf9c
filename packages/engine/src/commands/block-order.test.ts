import { type Address, timeMs } from '@oddlot/units';
import { describe, expect, test } from 'vitest';
import type { Authority, Command, OrderRequest } from '../messages/command.ts';
import {
  actor,
  alice,
  bob,
  carol,
  order,
  PARAMETERS,
  PERP,
  Scenario,
} from '@oddlot/testing/engine/scenario';
import { orderCommands } from './block-order.ts';

const agent = actor(0xa6e);
const newAgent = actor(0xa6f);
const vault = actor(0x7a017);
const newVault = actor(0x7a018);

const NAMES = { alice, bob, carol, agent, newAgent, vault, newVault };

function named(name: string | undefined): Address {
  return NAMES[name as keyof typeof NAMES] ?? alice;
}

/**
 * Parses a signer: `bob@vault` is a leader that acts for a vault, and `bob+alice` signs for a
 * multisig account.
 */
function authorityOf(scenario: Scenario, signerText: string): Authority {
  const [signer, led] = signerText.split('@');
  const [sender, user] = (signer ?? '').split('+');
  return {
    ...scenario.authority(named(sender)),
    ...(led === undefined ? {} : { vault: named(led) }),
    ...(user === undefined ? {} : { multiSig: { user: named(user), signers: [named(sender)] } }),
  };
}

function command(scenario: Scenario, text: string): Command {
  const [signerText = '', what = '', whom] = text.split(' ');
  const authority = authorityOf(scenario, signerText);
  const placing = (...tifs: OrderRequest['timeInForce'][]): Command => ({
    type: 'placeOrders',
    authority,
    orders: tifs.map((timeInForce) => order({ price: 1_000_000, size: 20, timeInForce })),
  });
  switch (what) {
    case 'alo':
      return placing('alo', 'alo');
    case 'gtc':
      return placing('gtc');
    case 'ioc':
      return placing('ioc');
    case 'mixed':
      return placing('alo', 'gtc');
    case 'cancel':
      return { type: 'cancelOrders', authority, cancels: [] };
    case 'cancelByClientId':
      return { type: 'cancelByClientId', authority, cancels: [] };
    case 'approve':
      return {
        type: 'approveAgent',
        authority,
        agent: whom === undefined ? newAgent : named(whom),
        label: 'new',
      };
    case 'convert':
      return { type: 'convertToMultiSig', authority, signers: { users: [bob], threshold: 1 } };
    case 'withdraw':
      return { type: 'withdraw', authority, destination: alice, amountMicroUsdc: 5_000_000 };
    case 'vault':
      return { type: 'registerVault', vault: newVault, leader: bob, name: 'n' };
    case 'oracle':
      return { type: 'pushOracle', prices: [], observedMs: timeMs(scenario.nowMs) };
    case 'faucet':
      return { type: 'creditFaucet', account: bob, subAccount: 'perp', amountMicroUsdc: 1 };
    default:
      return { type: 'registerPerp', perp: PERP };
  }
}

function arranged(...texts: string[]): string {
  const scenario = Scenario.open();
  scenario.approve(alice, agent);
  scenario.block({ type: 'registerVault', vault, leader: bob, name: 'v' });
  const commands = texts.map((text) => command(scenario, text));
  return orderCommands(scenario.state, commands)
    .classes.map((indexes) => indexes.map((index) => texts[index]).join(', '))
    .join(' | ');
}

describe('R-block: commands are executed by class', () => {
  test('operator commands come first, then passive commands, cancels and all others, each by arrival', () => {
    expect(arranged('carol ioc', 'bob cancel', 'alice alo', 'venue faucet', 'venue oracle')).toBe(
      'venue faucet, venue oracle | alice alo | bob cancel | carol ioc',
    );
  });

  test('an action has the class of its most aggressive order', () => {
    expect(arranged('alice mixed', 'bob alo', 'carol gtc')).toBe(
      ' | bob alo |  | alice mixed, carol gtc',
    );
  });

  test('settings belong to the class of commands that cannot take liquidity', () => {
    expect(arranged('bob cancelByClientId', 'alice approve')).toBe(
      ' | alice approve | bob cancelByClientId | ',
    );
  });
});

describe('R-block: commands of one account keep their order', () => {
  test('a post-only order after a cancel of the same account is executed after the cancel', () => {
    expect(arranged('alice cancel', 'alice alo', 'bob alo')).toBe(
      ' | bob alo | alice cancel, alice alo | ',
    );
  });

  test('a taker order delays all later commands of its account', () => {
    expect(arranged('alice ioc', 'alice cancel', 'alice alo', 'bob cancel')).toBe(
      ' |  | bob cancel | alice ioc, alice cancel, alice alo',
    );
  });

  test('a later command does not delay an earlier one', () => {
    expect(arranged('alice alo', 'alice ioc')).toBe(' | alice alo |  | alice ioc');
  });

  test('commands of an agent and its owner keep their order', () => {
    expect(arranged('agent ioc', 'alice cancel', 'bob alo')).toBe(
      ' | bob alo |  | agent ioc, alice cancel',
    );
    expect(arranged('alice cancel', 'agent alo')).toBe(' |  | alice cancel, agent alo | ');
  });

  test('commands of an agent that is approved in the same block wait for the approval', () => {
    expect(arranged('alice cancel', 'alice approve', 'newAgent alo')).toBe(
      ' |  | alice cancel, alice approve, newAgent alo | ',
    );
    const scenario = Scenario.open();
    const texts = ['alice cancel', 'alice approve', 'newAgent alo', 'newAgent ioc'];
    const { outcomes } = scenario.block(...texts.map((text) => command(scenario, text)));
    expect(outcomes.map(({ reject }) => reject)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  test('all signers of a multisig account count as one account in a block', () => {
    expect(arranged('bob+alice ioc', 'agent cancel', 'alice alo', 'bob alo')).toBe(
      ' | bob alo |  | bob+alice ioc, agent cancel, alice alo',
    );
    expect(arranged('alice cancel', 'alice convert', 'bob+alice alo')).toBe(
      ' |  | alice cancel, alice convert, bob+alice alo | ',
    );
    expect(arranged('bob+alice cancel', 'bob+alice approve', 'newAgent alo')).toBe(
      ' |  | bob+alice cancel, bob+alice approve, newAgent alo | ',
    );
  });

  test("all signers of a vault count as one account, which is separate from the leader's account", () => {
    expect(arranged('bob@vault cancel', 'vault alo', 'bob alo', 'carol@vault alo')).toBe(
      ' | bob alo | bob@vault cancel, vault alo, carol@vault alo | ',
    );
    expect(arranged('bob ioc', 'bob@vault alo', 'agent ioc', 'agent@vault alo')).toBe(
      ' | bob@vault alo, agent@vault alo |  | bob ioc, agent ioc',
    );
    expect(arranged('bob+alice@vault ioc', 'bob+alice alo', 'vault alo')).toBe(
      ' | bob+alice alo |  | bob+alice@vault ioc, vault alo',
    );
  });

  test('all signers of a vault registered in the same block count as one account', () => {
    const texts = ['bob@newVault cancel', 'newVault alo', 'venue vault'] as const;
    expect(arranged(...texts)).toBe('venue vault |  | bob@newVault cancel, newVault alo | ');
    const scenario = Scenario.open();
    const { outcomes } = scenario.block(...texts.map((text) => command(scenario, text)));
    expect(outcomes.map(({ account, reject }) => reject ?? account)).toEqual([
      newVault,
      newVault,
      undefined,
    ]);
  });

  test('commands that require the own key belong to the signer’s own account, even if the signer is an agent', () => {
    expect(arranged('agent ioc', 'agent withdraw', 'alice withdraw')).toBe(
      ' | agent withdraw |  | agent ioc, alice withdraw',
    );
  });

  test('an approval that will fail does not delay any commands, and only the first of two approvals counts', () => {
    expect(arranged('carol ioc', 'carol approve bob', 'bob alo')).toBe(
      ' | bob alo |  | carol ioc, carol approve bob',
    );
    expect(arranged('carol ioc', 'carol approve agent', 'agent alo')).toBe(
      ' | agent alo |  | carol ioc, carol approve agent',
    );
    expect(
      arranged('alice approve newAgent', 'carol ioc', 'carol approve newAgent', 'newAgent alo'),
    ).toBe(' | alice approve newAgent, newAgent alo |  | carol ioc, carol approve newAgent');
  });

  test('an account opened in a block can trade in the same block', () => {
    const scenario = new Scenario();
    scenario.block(
      { type: 'genesis', parameters: PARAMETERS },
      { type: 'registerPerp', perp: PERP },
    );
    const faucet = {
      type: 'creditFaucet',
      subAccount: 'perp',
      amountMicroUsdc: 5_000_000,
    } as const;
    const prices = [{ instrumentId: PERP.instrumentId, oracle: 1_000_000 }];
    const { outcomes } = scenario.block(
      command(scenario, 'alice gtc'),
      { ...faucet, account: alice },
      { type: 'pushOracle', prices, observedMs: timeMs(scenario.nowMs) },
    );
    expect(outcomes[0]!.entries?.[0]?.state).toBe('open');
  });
});
