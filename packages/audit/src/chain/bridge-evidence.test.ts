import { readDepositLogs } from '@oddlot/custody/bridge-contract';
import { BridgedChain, TEST_CHAIN_ID } from '@oddlot/testing/custody';
import { type CreditDepositCommand, createState, type State } from '@oddlot/engine';
import { address, hash } from '@oddlot/units';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { NotYetError } from '../checks/finding.ts';
import { BridgeEvidence } from './bridge-evidence.ts';

/** A real chain with a bridge is read through three endpoints, each of which can misbehave. */

const STATE = createState();
const USDC = 1_000_000n;
let chain: BridgedChain;
let evidence: BridgeEvidence;
beforeEach(async () => {
  chain = await BridgedChain.open(3);
  evidence = evidenceWith(1);
});
afterEach(() => chain.close());

function evidenceWith(confirmations: number): BridgeEvidence {
  const client = chain.client(confirmations);
  return new BridgeEvidence({ client, bridge: chain.contracts.bridge, fromBlock: 0 });
}

/** Returns the log command for the newest transfer of a user. */
async function deposited(user: number, amount: bigint): Promise<CreditDepositCommand> {
  await chain.chain.rpc('eth_sendRawTransaction', [await chain.transfer(user, amount)]);
  const client = chain.client(1);
  const { head: toBlock } = await client.head();
  const logs = await readDepositLogs(client, chain.contracts, { fromBlock: 0, toBlock });
  const { account, source } = logs.at(-1)!;
  const amountMicroUsdc = Number(amount);
  return { type: 'creditDeposit', account, amountMicroUsdc, source, isOwn: true };
}

describe('R-deposit: the deposits in the log are compared with the chain', () => {
  test('a deposit is valid once, for the account of the transfer, and up to the transferred amount', async () => {
    const command = await deposited(0, 7n * USDC);
    const fault = (changes: object) => evidence.depositFault({ ...command, ...changes }, STATE);
    expect(await fault({})).toBeUndefined();
    expect(await fault({})).toBeUndefined();
    const other = address(`0x${'99'.repeat(20)}`);
    expect(await fault({ account: other })).toMatch(/is for 0x.*, but the log credits 0x99/);
    const source = (more: object) => fault({ source: { ...command.source, ...more } });
    expect(await source({ logIndex: 9 })).toMatch(/the deposit does not exist on the chain: log 9/);
    expect(await source({ txHash: hash(`0x${'ee'.repeat(32)}`) })).toMatch(
      /does not exist on the chain/,
    );
    expect(await source({ chainId: 1 })).toBe('the deposit is on another chain, 1');
    expect(await fault({ amountMicroUsdc: 7_000_001 })).toMatch(
      /but only 7000000 micro-USDC arrived/,
    );
    // The credited amount is used up, so the same funds cannot be credited again.
    const { account } = command;
    const event = { type: 'depositCredited', account, amount: 7n * USDC };
    evidence.projection.onBlock({ result: { events: [event] } } as never);
    expect(await fault({})).toMatch(/but only 0 micro-USDC arrived and is not credited yet/);
    const credited = { bridge: { credited: new Map([[keyOf(command), {}]]) } } as never as State;
    expect(await evidence.depositFault(command, credited)).toBeUndefined();
  });

  test('a deposit made in several parts is valid for their sum, at the position of the last part', async () => {
    await deposited(1, 2n * USDC);
    const last = await deposited(1, 3n * USDC);
    const whole = { ...last, amountMicroUsdc: 5_000_000 };
    expect(await evidence.depositFault(whole, STATE)).toBeUndefined();
    const more = { ...last, amountMicroUsdc: 5_000_001 };
    expect(await evidence.depositFault(more, STATE)).toMatch(/but only 5000000 micro-USDC arrived/);
  });

  test('the check of a deposit waits if the chain is behind, unavailable, or has dropped blocks already read', async () => {
    const command = await deposited(0, 7n * USDC);
    const ahead = { ...command, source: { ...command.source, blockNumber: 1_000 } };
    await expect(evidence.depositFault(ahead, STATE)).rejects.toThrow(NotYetError);
    await expect(evidenceWith(50).depositFault(command, STATE)).rejects.toThrow(
      /the newest confirmed block known here is \d+/,
    );
    expect(await evidence.depositFault(command, STATE)).toBeUndefined();
    const { block } = evidence.projection.readTo!;
    evidence.projection.add([], { block, hash: `0x${'00'.repeat(32)}` });
    await expect(evidence.depositFault(command, STATE)).rejects.toThrow(
      /Confirmed blocks were reorganised/,
    );
    chain.faults.fill('down');
    await expect(evidenceWith(1).depositFault(command, STATE)).rejects.toThrow(
      /the chain cannot be queried/,
    );
  });
});

test('a log is accepted only with the configured bridge', async () => {
  const { bridge, token } = chain.contracts;
  const command = {
    type: 'openBridge',
    chainId: TEST_CHAIN_ID,
    bridge: address(bridge),
    token: address(token),
  } as const;
  expect(await evidence.bridgeFault(command)).toBeUndefined();
  for (const changes of [{ chainId: 1 }, { bridge: command.token }, { token: command.bridge }]) {
    expect(await evidence.bridgeFault({ ...command, ...changes })).toMatch(
      /but this validator is for bridge/,
    );
  }
});

test('R-withdraw: the check waits for a withdrawal that the bridge has neither paid nor cancelled', async () => {
  const bridge = { credited: new Map() };
  const held = { bridge, withdrawals: new Map([[1, {}]]) } as never as State;
  for (const paid of [true, false]) {
    const command = { type: 'settleWithdrawal', withdrawalId: 1, paid } as const;
    await expect(evidence.settlementFault(command, held)).rejects.toThrow(/neither paid nor/);
    // A withdrawal that is not in the state is not checked.
    expect(await evidence.settlementFault(command, STATE)).toBeUndefined();
  }
});

test('R-withdraw: before the log specifies a bridge, a withdrawal can be returned but not paid', async () => {
  const unpayable = { bridge: undefined, withdrawals: new Map([[1, {}]]) } as never as State;
  const settled = (paid: boolean) =>
    evidence.settlementFault({ type: 'settleWithdrawal', withdrawalId: 1, paid }, unpayable);
  expect(await settled(false)).toBeUndefined();
  await expect(settled(true)).rejects.toThrow(/neither paid nor/);
});

function keyOf({ source }: CreditDepositCommand): string {
  return `${source.chainId}:${source.txHash}:${source.logIndex}`;
}
