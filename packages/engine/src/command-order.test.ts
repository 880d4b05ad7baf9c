import { address, timeMs } from '@oddlot/units';
import { describe, expect, test } from 'vitest';
import { orderCommands } from './command-order.ts';
import type { Command, OrderRequest } from './command.ts';
import { actor, alice, bob, carol, order, PARAMETERS, PERP, Scenario } from './testing/scenario.ts';

const agent = actor(0xa6e);
const newAgent = actor(0xa6f);

/** What a name in a table stands for: who, and what they send. */
function command(scenario: Scenario, text: string): Command {
  const [who = '', what = ''] = text.split(' ');
  const signers: Record<string, string> = { alice, bob, carol, agent, newAgent };
  const authority = scenario.authority(address(signers[who] ?? alice));
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
      return { type: 'approveAgent', authority, agent: newAgent, label: 'new' };
    case 'oracle':
      return { type: 'pushOracle', prices: [], observedMs: timeMs(scenario.nowMs) };
    case 'faucet':
      return { type: 'creditFaucet', account: bob, subAccount: 'perp', amountMicroUsdc: 1 };
    default:
      return { type: 'registerPerp', perp: PERP };
  }
}

/** The commands in the order in which they execute, classes apart by a bar. */
function arranged(...texts: string[]): string {
  const scenario = Scenario.open();
  scenario.approve(alice, agent);
  const commands = texts.map((text) => command(scenario, text));
  return orderCommands(scenario.state, commands)
    .map((indexes) => indexes.map((index) => texts[index]).join(', '))
    .join(' | ');
}

describe('R-block: classes', () => {
  test('operator, passive, cancels, everything else; arrival order inside each', () => {
    expect(arranged('carol ioc', 'bob cancel', 'alice alo', 'venue faucet', 'venue oracle')).toBe(
      'venue faucet, venue oracle | alice alo | bob cancel | carol ioc',
    );
  });

  test('an action has the class of its most aggressive order', () => {
    expect(arranged('alice mixed', 'bob alo', 'carol gtc')).toBe(
      ' | bob alo |  | alice mixed, carol gtc',
    );
  });

  test('settings cannot take liquidity', () => {
    expect(arranged('bob cancelByClientId', 'alice approve')).toBe(
      ' | alice approve | bob cancelByClientId | ',
    );
  });
});

describe('R-block: nobody overtakes the same acting account', () => {
  test('a cancel, then an alo, stay in that order', () => {
    expect(arranged('alice cancel', 'alice alo', 'bob alo')).toBe(
      ' | bob alo | alice cancel, alice alo | ',
    );
  });

  test('a taker holds back all that follows it', () => {
    expect(arranged('alice ioc', 'alice cancel', 'alice alo', 'bob cancel')).toBe(
      ' |  | bob cancel | alice ioc, alice cancel, alice alo',
    );
  });

  test('an earlier command is not held back by a later one', () => {
    expect(arranged('alice alo', 'alice ioc')).toBe(' | alice alo |  | alice ioc');
  });

  test('an agent and its owner are one account', () => {
    expect(arranged('agent ioc', 'alice cancel', 'bob alo')).toBe(
      ' | bob alo |  | agent ioc, alice cancel',
    );
    expect(arranged('alice cancel', 'agent alo')).toBe(' |  | alice cancel, agent alo | ');
  });

  test('an agent approved in the same block waits for its approval', () => {
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

  test('an account opened in the same block may trade in it', () => {
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
