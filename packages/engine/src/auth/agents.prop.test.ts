import { type Address, instrumentId, timeMs } from '@oddlot/units';
import { expect, test } from 'vitest';
import { checkCommand, signedRules } from '../commands/commands.ts';
import { dump } from '../dump/dump.ts';
import type { BlockResult } from '../messages/block.ts';
import type { Authority, Command, SignedCommand } from '../messages/command.ts';
import type { EngineEvent, TradeSide } from '../messages/event.ts';
import type { Account } from '../state/account.ts';
import type { State } from '../state/state.ts';
import { anyCommand, openEverything, type Pick } from '@oddlot/testing/engine/any-command';
import { actor, type Scenario } from '@oddlot/testing/engine/scenario';
import { randomIntegers } from '@oddlot/testing/engine/steps';
import { ZERO_ADDRESS } from './agents.ts';

/**
 * The number of random histories. The test checks that agents can trade but cannot move an
 * account's money in any other way (R-agents). Agents of several accounts, including revoked ones,
 * send commands of every type for their owners and for vaults of other accounts. After each block,
 * an account's money may differ only by realised PnL, trading costs, builder fees and funding; its
 * outcome balance and its holds are unchanged.
 */
const SEEDS = Math.ceil(Number(process.env['FUZZ_RUNS'] ?? 100) / 33);
const STEPS = 400;
const HOUR_MS = 3_600_000;

function perpMoney(state: State, { address, holdings, perpBalance }: Account): bigint {
  const rewards = state.builderRewards.get(address);
  let sum = perpBalance + (rewards === undefined ? 0n : rewards.earned - rewards.claimed);
  for (const { isolatedMargin, reserved } of holdings.values()) sum += isolatedMargin + reserved;
  return sum;
}

type Money = { readonly perp: bigint; readonly fixed: string };

function moneyOf(state: State): Map<Address, Money> {
  return new Map(
    state.accounts.map((account) => {
      const fixed = `${account.outcomeBalance} ${account.withdrawHold}`;
      return [account.address, { perp: perpMoney(state, account), fixed }];
    }),
  );
}

/** The changes to each account's money that a block's events imply. */
class Changes {
  readonly amounts = new Map<Address, bigint>();
  readonly liquidated = new Set<Address>();

  constructor(events: readonly EngineEvent[]) {
    for (const event of events) this.#count(event);
  }

  #count(event: EngineEvent): void {
    switch (event.type) {
      case 'tradeExecuted':
        this.#countSide(event.taker);
        this.#countSide(event.maker);
        return;
      case 'fundingPaid':
        this.#add(event.account, event.amount);
        return;
      case 'liquidationStep':
      case 'deleveraged':
        this.liquidated.add(event.account);
        return;
      default:
    }
  }

  #countSide({ account, builderFee, fee, realised }: TradeSide): void {
    this.#add(account, realised - fee - (builderFee?.amount ?? 0n));
    if (builderFee !== undefined) this.#add(builderFee.builder, builderFee.amount);
  }

  #add(account: Address, amount: bigint): void {
    this.amounts.set(account, (this.amounts.get(account) ?? 0n) + amount);
  }
}

type Agents = { readonly all: readonly Address[]; readonly of: ReadonlyMap<Address, Address> };

/** Approves two agents for each account and revokes the second one. */
function appointAgents(scenario: Scenario): Agents {
  const of = new Map<Address, Address>();
  const all: Address[] = [];
  for (const { address, multiSig } of scenario.state.accounts) {
    if (address === scenario.state.parameters?.insuranceFundAddress) continue;
    const [agent, revoked] = [actor(0xa9_0000 + all.length), actor(0xa9_0001 + all.length)];
    const [sender = address] = multiSig?.users ?? [];
    const wrapper =
      multiSig === undefined ? {} : { multiSig: { user: address, signers: multiSig.users } };
    const approve = (label: string, agent: Address): void => {
      const authority = { ...scenario.authority(sender), ...wrapper };
      const { reject } = scenario.outcome({ type: 'approveAgent', authority, agent: agent, label });
      expect(reject).toBeUndefined();
    };
    approve('desk', agent);
    approve('old', revoked);
    approve('old', ZERO_ADDRESS);
    of.set(address, agent);
    all.push(agent, revoked);
  }
  return { all, of };
}

/** Returns a command of any type, signed by an agent that usually belongs to the account. */
function byAgent(scenario: Scenario, pick: Pick, agents: Agents): SignedCommand {
  const { command, user } = anyCommand(scenario, pick);
  const own = agents.of.get(user);
  const agent = own === undefined || pick(6) === 0 ? agents.all[pick(agents.all.length)] : own;
  const vault = command.authority.vault ?? anyVault(scenario, pick);
  const authority: Authority = {
    ...scenario.authority(agent ?? ZERO_ADDRESS),
    ...(vault === undefined ? {} : { vault }),
  };
  return { ...command, authority };
}

function anyVault({ state }: Scenario, pick: Pick): Address | undefined {
  return pick(12) === 0 ? [...state.vaults.keys()][0] : undefined;
}

/** Returns all state that only an account's own key, or the operator, can change. */
function registries(state: State): unknown {
  const { accounts, keys, ...rest } = dump(state);
  const { deposited, withdrawn } = rest;
  const held = accounts.map(({ address, agents, builders, multiSig }) => ({
    address,
    agents,
    builders,
    multiSig,
  }));
  const { vaults, gates } = keys;
  return { held, vaults, gates, deposited, withdrawn };
}

type Seen = Map<string, number>;
const note = (seen: Seen, what: string): unknown => seen.set(what, (seen.get(what) ?? 0) + 1);

function play(seed: number, seen: Seen): void {
  const pick = randomIntegers(seed);
  const scenario = openEverything(5_000_000_000);
  const agents = appointAgents(scenario);
  const { state } = scenario;
  const before = registries(state);
  for (let step = 0; step < STEPS; step++) {
    scenario.wait(pick(2_000));
    if (step % 100 === 99) passHour(scenario, pick, seen);
    else if (pick(3) === 0) checked(scenario, seen, [prices(scenario, pick)]);
    const command = byAgent(scenario, pick, agents);
    const admitted = checkCommand(state, command, scenario.nowMs).reject;
    const { outcomes } = checked(scenario, seen, [command]);
    if (signedRules(command).signedBy === 'ownKey') {
      expect(admitted?.reason, command.type).toBeDefined();
      expect(outcomes[0]?.reject?.reason, command.type).toBeDefined();
    }
    note(seen, outcomes[0]?.reject === undefined ? command.type : `${command.type} refused`);
  }
  expect(registries(state)).toEqual(before);
}

/** Advances past the end of an hour with new prices, so that funding is paid. */
function passHour(scenario: Scenario, pick: Pick, seen: Seen): void {
  scenario.wait(HOUR_MS - (scenario.nowMs % HOUR_MS) - 6_000);
  checked(scenario, seen, [prices(scenario, pick)]);
  scenario.wait(7_000);
  checked(scenario, seen, [prices(scenario, pick)]);
}

/** Returns small price moves, so that few accounts get liquidated. */
function prices(scenario: Scenario, pick: Pick): Command {
  const rows = [1, 2].map((id) => ({
    instrumentId: instrumentId(id),
    oracle: 1_000_000 + (pick(5) - 2) * 1_000,
  }));
  return { type: 'pushOracle', prices: rows, observedMs: timeMs(scenario.nowMs) };
}

/** Executes a block and compares each account's money with the block's events. */
function checked(scenario: Scenario, seen: Seen, commands: readonly Command[]): BlockResult {
  const { state } = scenario;
  const before = moneyOf(state);
  const result = scenario.block(...commands);
  const changes = new Changes(result.events);
  const context = JSON.stringify(commands);
  expect(state.accounts.length, context).toBe(before.size);
  for (const [address, { fixed, perp }] of moneyOf(state)) {
    const had = before.get(address);
    expect(fixed, context).toBe(had?.fixed);
    const isFund = address === state.parameters?.insuranceFundAddress;
    // Liquidated accounts also pay liquidation fees and lose positions to take-overs
    // (R-liquidation), and the fund receives a share of all fees.
    if (isFund || changes.liquidated.has(address)) continue;
    const change = perp - (had?.perp ?? 0n);
    expect(change, `${address} by ${context}`).toBe(changes.amounts.get(address) ?? 0n);
    if (change !== 0n) note(seen, 'money moved');
  }
  for (const { type } of result.events) note(seen, type);
  return result;
}

test('actions by agents move money only through trading', () => {
  const seen: Seen = new Map();
  for (let seed = 1; seed <= SEEDS; seed++) play(seed, seen);
  const expectedKinds = [
    'placeOrders cancelOrders modifyOrder cancelAll reversePosition updateIsolatedMargin',
    'claimBuilderRewards tradeExecuted fundingPaid builderRewardsClaimed',
  ];
  for (const what of expectedKinds.join(' ').split(' ')) {
    expect(seen.get(what) ?? 0, what).toBeGreaterThan(0);
  }
  const ownKey = ['sendToken', 'withdraw', 'approveAgent', 'approveBuilder', 'convertToMultiSig'];
  for (const type of [...ownKey, 'revokeBuilder']) {
    expect(seen.get(type) ?? 0, type).toBe(0);
    expect(seen.get(`${type} refused`) ?? 0, type).toBeGreaterThan(0);
  }
  expect(seen.get('money moved') ?? 0).toBeGreaterThan(100);
});
