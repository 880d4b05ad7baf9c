import { type Address, instrumentId, timeMs } from '@oddlot/units';
import { ZERO_ADDRESS } from '../../../packages/engine/src/auth/agents.ts';
import { signedRules } from '../../../packages/engine/src/commands/commands.ts';
import type {
  Authority,
  Command,
  OrderRequest,
  SignedCommand,
  SubAccount,
  TimeInForce,
} from '../../../packages/engine/src/messages/command.ts';
import { openOrders } from '../../../packages/engine/src/read/read.ts';
import { HOUR_MS } from '../../../packages/engine/src/state/sampled-hours.ts';
import { deposited, openTestBridge } from './bridge.ts';
import { actor, order, PERP, Scenario } from './scenario.ts';
import { sign, waiting } from './waiting.ts';

/**
 * Opens a venue with all kinds of accounts and sends random commands of every type. About half of
 * them are valid; the rest are rejected at various stages.
 */

export type Pick = (below: number) => number;

export type Acted = { readonly user: Address; readonly command: SignedCommand };

const TRADERS = [0x7001, 0x7002, 0x7003, 0x7004, 0x7005].map(actor);
export const [ONE_WAY, HEDGED, ISOLATED, BUILDER, MULTI_SIG] = TRADERS as [
  Address,
  Address,
  Address,
  Address,
  Address,
];
const VAULT = actor(0x7a17);
const SIGNERS = [actor(0x5161), actor(0x5162)];
const OUTSIDER = actor(0x999);
const SECOND = {
  ...PERP,
  instrumentId: instrumentId(2),
  name: 'SECOND-USDC',
  maxMarketOrderSize: 80,
};
const TIMES: readonly TimeInForce[] = ['gtc', 'gtc', 'gtd', 'alo', 'ioc', 'market'];
const SUB_ACCOUNTS: readonly SubAccount[] = ['perp', 'outcome'];

/**
 * Opens one trader of each kind (one-way, hedge, isolated, builder, multi-sig) and a vault led by
 * the first trader.
 */
export function openEverything(funds: number): Scenario {
  const scenario = Scenario.open({
    accounts: [...TRADERS, VAULT, ...SIGNERS],
    funds,
    parameters: {
      feeTiers: [
        { level: 0, minVolumeMicroUsdc: 0, makerFeeE8: 15_000, takerFeeE8: 45_000 },
        { level: 1, minVolumeMicroUsdc: 50_000_000, makerFeeE8: 10_000, takerFeeE8: 30_000 },
      ],
    },
  });
  openTestBridge(scenario);
  scenario.block({ type: 'registerPerp', perp: SECOND });
  scenario.oracle(1_000_000, SECOND.instrumentId);
  for (const account of TRADERS) {
    scenario.block({
      type: 'creditFaucet',
      account,
      subAccount: 'outcome',
      amountMicroUsdc: 20_000_000,
    });
  }
  scenario.block(
    { type: 'registerVault', vault: VAULT, leader: ONE_WAY, name: 'First' },
    sign(scenario, HEDGED, { type: 'updatePositionMode', mode: 'hedge' }),
    sign(scenario, ISOLATED, {
      type: 'updateMarginMode',
      instrumentId: PERP.instrumentId,
      marginMode: 'isolated',
    }),
    sign(scenario, MULTI_SIG, {
      type: 'convertToMultiSig',
      signers: { users: SIGNERS, threshold: 2 },
    }),
    ...[ONE_WAY, HEDGED, ISOLATED].map((trader) =>
      sign(scenario, trader, {
        type: 'approveBuilder',
        builder: BUILDER,
        maxFeeE8: 50_000,
        maxFeeText: '0.05%',
      }),
    ),
  );
  scenario.one(HEDGED, { isBuy: false, price: 1_000_000, size: 20 });
  const buy = order({ price: 1_000_000, size: 20 });
  const builder = { address: BUILDER, feeTenthsBp: 50 };
  scenario.block(sign(scenario, ONE_WAY, { type: 'placeOrders', orders: [buy], builder }));
  return scenario;
}

/** Makes random changes that no user signs: to prices, balances, access control and time. */
export function changeConditions(scenario: Scenario, pick: Pick): void {
  if (pick(3) === 0) scenario.wait(pick(2_500));
  if (pick(3) === 0) pushPrices(scenario, pick);
  if (pick(40) === 0) passHour(scenario, pick);
  if (pick(12) === 0) scenario.fund(one(pick, TRADERS), 1 + pick(5_000_000));
  if (pick(12) === 0) bridge(scenario, pick);
  if (pick(8) === 0) {
    const who = [one(pick, [ISOLATED, HEDGED])];
    const change = pick(3) === 0 ? { add: who } : { remove: who };
    scenario.block({ type: 'setGate', channel: 0, blacklist: change });
  }
  const [first] = scenario.state.withdrawals.keys();
  if (first !== undefined && pick(4) === 0) {
    scenario.block({ type: 'settleWithdrawal', withdrawalId: first, paid: pick(2) === 0 });
  }
}

/**
 * Credits random deposits to traders, agents and relay addresses, crediting some of them twice. It
 * also opens new relay addresses.
 */
function bridge(scenario: Scenario, pick: Pick): void {
  const account = one(pick, [...TRADERS, actor(0xa000 + pick(6)), actor(0x8000 + pick(50))]);
  const more = { isOwn: pick(2) === 0, amount: 1 + pick(5_000_000) };
  scenario.block(deposited(account, pick(200), more), {
    type: 'registerPegs',
    addresses: [actor(0x8000 + pick(50))],
  });
}

function pushPrices(scenario: Scenario, pick: Pick): void {
  const prices = [1, 2].map((id) => ({ instrumentId: instrumentId(id), oracle: near(pick, 30) }));
  scenario.block({ type: 'pushOracle', prices, observedMs: timeMs(scenario.nowMs) });
}

/** Advances to the end of the hour with a recent price, because funding requires one. */
function passHour(scenario: Scenario, pick: Pick): void {
  scenario.wait(HOUR_MS - (scenario.nowMs % HOUR_MS) - 6_000);
  pushPrices(scenario, pick);
  scenario.wait(7_000);
  pushPrices(scenario, pick);
}

/**
 * Runs blocks without commands until a block produces no events, so that pending triggers and jobs
 * complete. Returns false if events never stop, for example because a job's order is rejected in
 * every block.
 */
export function settle(scenario: Scenario): boolean {
  for (let round = 0; round < 5; round++) if (scenario.block().events.length === 0) return true;
  return false;
}

export function anyCommand(scenario: Scenario, pick: Pick): Acted {
  const user = one(pick, [...TRADERS, VAULT]);
  const command = build(scenario, pick, user);
  // The leader usually acts for the vault, but the vault's own key can also act.
  const acted =
    user === VAULT && pick(4) > 0
      ? { user: ONE_WAY, command: { ...command, authority: vaultAuthority(scenario) } }
      : { user, command: { ...command, authority: signedFor(scenario, user, command.authority) } };
  return byAgent(scenario, pick, acted);
}

function vaultAuthority(scenario: Scenario): Authority {
  return { ...signedFor(scenario, ONE_WAY, scenario.authority(ONE_WAY)), vault: VAULT };
}

/**
 * Signs for an account: a multi-sig account acts through its signers, and any other account with
 * its own key.
 */
export function signedFor(scenario: Scenario, user: Address, authority: Authority): Authority {
  const set = scenario.account(user).multiSig;
  const [first] = set?.users ?? [];
  if (set === undefined || first === undefined) return authority;
  return { ...scenario.authority(first), multiSig: { user, signers: set.users } };
}

/** Has the account's first agent send some of the commands that agents are allowed to send. */
function byAgent(scenario: Scenario, pick: Pick, acted: Acted): Acted {
  const [agent] = scenario.account(acted.user).agents.values();
  const { signedBy } = signedRules(acted.command);
  if (agent === undefined || signedBy === 'ownKey' || pick(3) > 0) return acted;
  const { vault } = acted.command.authority;
  const authority = {
    ...scenario.authority(agent.agent),
    ...(vault === undefined ? {} : { vault }),
  };
  return { ...acted, command: { ...acted.command, authority } };
}

type Build = (scenario: Scenario, pick: Pick, user: Address) => Command;

const BRING = [plain, plain, plain, plain, withBuilder, withBuilder, trigger, family, onPosition];
const CHANGE_ORDERS = [amend, amend, replace, cancel, cancelMany, reverse];
const CHANGE = [...CHANGE_ORDERS, settings, settings, money, money, keys];

/** Builds an order half of the time, so that other commands have orders and positions to act on. */
function build(scenario: Scenario, pick: Pick, user: Address): SignedCommand {
  const builds: readonly Build[] = pick(2) === 0 ? BRING : CHANGE;
  return one(pick, builds)(scenario, pick, user) as SignedCommand;
}

function plain(scenario: Scenario, pick: Pick, user: Address): Command {
  const orders = Array.from({ length: 1 + pick(3) }, () => anyOrder(scenario, pick));
  return sign(scenario, user, { type: 'placeOrders', orders });
}

function withBuilder(scenario: Scenario, pick: Pick, user: Address): Command {
  const feeTenthsBp = pick(pick(3) === 0 ? 120 : 20);
  const builder = { address: one(pick, [BUILDER, BUILDER, ISOLATED]), feeTenthsBp };
  return { ...plain(scenario, pick, user), builder } as Command;
}

function trigger(scenario: Scenario, pick: Pick, user: Address): Command {
  return sign(scenario, user, { type: 'placeOrders', orders: [anyTrigger(pick)] });
}

function cancelMany(scenario: Scenario, pick: Pick, user: Address): Command {
  const id = instrumentId(1 + pick(2));
  switch (pick(4)) {
    case 0:
      return sign(scenario, user, { type: 'cancelAll', instrumentId: id });
    case 1:
      return sign(scenario, user, {
        type: 'scheduleCancel',
        ...(pick(3) === 0 ? {} : { atMs: timeMs(scenario.nowMs + pick(60_000)) }),
      });
    default:
      return sign(scenario, user, {
        type: 'cancelByClientId',
        cancels: [{ instrumentId: id, clientOrderId: clientId(pick) }],
      });
  }
}

function reverse(scenario: Scenario, pick: Pick, user: Address): Command {
  const id = instrumentId(1 + pick(2));
  return sign(scenario, user, { type: 'reversePosition', instrumentId: id, isBuy: pick(2) === 0 });
}

function settings(scenario: Scenario, pick: Pick, user: Address): Command {
  const id = instrumentId(1 + pick(2));
  switch (pick(5)) {
    case 0:
      return sign(scenario, user, {
        type: 'updateMarginMode',
        instrumentId: id,
        marginMode: one(pick, ['cross', 'isolated']),
      });
    case 1:
      return sign(scenario, user, {
        type: 'updatePositionMode',
        mode: one(pick, ['oneWay', 'hedge']),
      });
    case 2:
      return sign(scenario, user, {
        type: 'updateLeverage',
        instrumentId: id,
        leverage: pick(62) - 10,
        marginMode: one(pick, ['cross', 'isolated']),
        ...(pick(2) === 0 ? {} : { switchesMode: true }),
      });
    default:
      return isolatedMargin(scenario, pick, user);
  }
}

/** Changes an isolated position if the account has one. */
function isolatedMargin(scenario: Scenario, pick: Pick, user: Address): Command {
  const isolated = [...scenario.account(user).holdings.values()].find(
    ({ isIsolated, size }) => isIsolated && size !== 0,
  );
  return sign(scenario, user, {
    type: 'updateIsolatedMargin',
    instrumentId: isolated?.perp.definition.instrumentId ?? instrumentId(1 + pick(2)),
    isBuy: isolated?.leg !== 1,
    amountMicroUsdc: pick(2_000_000) - 500_000,
  });
}

function money(scenario: Scenario, pick: Pick, user: Address): Command {
  if (pick(user === BUILDER ? 2 : 8) === 0) {
    return sign(scenario, user, { type: 'claimBuilderRewards' });
  }
  switch (pick(3)) {
    case 0:
      return sign(scenario, user, {
        type: 'withdraw',
        destination: OUTSIDER,
        amountMicroUsdc: pick(8_000_000),
      });
    default:
      return sign(scenario, user, {
        type: 'sendToken',
        destination: one(pick, [...TRADERS, user, actor(0x8000 + pick(50))]),
        token: 0,
        amountMicroUsdc: pick(5_000_000),
        from: one(pick, SUB_ACCOUNTS),
        to: one(pick, SUB_ACCOUNTS),
      });
  }
}

function keys(scenario: Scenario, pick: Pick, user: Address): Command {
  const [approved = BUILDER] = scenario.account(user).builders.keys();
  switch (pick(5)) {
    case 0:
      return sign(scenario, user, {
        type: 'approveAgent',
        agent: pick(3) === 0 ? ZERO_ADDRESS : actor(0xa000 + pick(6)),
        label: `bot ${pick(3)}`,
      });
    case 1:
      return sign(scenario, user, { type: 'revokeBuilder', builder: approved });
    case 2:
      return sign(scenario, user, {
        type: 'convertToMultiSig',
        signers: user === MULTI_SIG || pick(4) > 0 ? { users: SIGNERS, threshold: 1 } : null,
      });
    default:
      return sign(scenario, user, {
        type: 'approveBuilder',
        builder: one(pick, [BUILDER, ISOLATED, user]),
        maxFeeE8: 1_000 * (1 + pick(60)),
        maxFeeText: 'any',
      });
  }
}

function anyOrder(scenario: Scenario, pick: Pick): OrderRequest {
  const timeInForce = one(pick, TIMES);
  return order({
    instrumentId: instrumentId(1 + pick(2)),
    isBuy: pick(2) === 0,
    price: near(pick, 40),
    size: 10 + pick(pick(12) === 0 ? 4_000 : 70),
    reduceOnly: pick(5) === 0,
    timeInForce,
    ...(timeInForce === 'gtd' ? { expireMs: timeMs(scenario.nowMs + 5_000 + pick(20_000)) } : {}),
    ...(pick(4) === 0 ? { clientOrderId: clientId(pick) } : {}),
    ...(pick(12) === 0 ? { marginMode: one(pick, ['cross', 'isolated'] as const) } : {}),
  });
}

function anyTrigger(pick: Pick, shape: Partial<OrderRequest> = {}): OrderRequest {
  const kind = one(pick, ['takeProfit', 'stopLoss'] as const);
  return waiting(
    { price: near(pick, 100), kind, isMarket: pick(2) === 0 },
    {
      instrumentId: instrumentId(1 + pick(2)),
      isBuy: pick(2) === 0,
      price: near(pick, 100),
      size: 10 + pick(200),
      reduceOnly: pick(3) > 0,
      ...(pick(6) === 0 ? { clientOrderId: clientId(pick) } : {}),
      ...shape,
    },
  );
}

function family(scenario: Scenario, pick: Pick, user: Address): Command {
  const parent = pick(4) === 0 ? anyTrigger(pick) : anyOrder(scenario, pick);
  const child = { instrumentId: parent.instrumentId, isBuy: !parent.isBuy, reduceOnly: true };
  const orders = [parent, anyTrigger(pick, child), anyTrigger(pick, child)];
  return sign(scenario, user, {
    type: 'placeOrders',
    orders: orders.slice(0, 2 + pick(2)),
    grouping: 'normal',
  });
}

function onPosition(scenario: Scenario, pick: Pick, user: Address): Command {
  const id = instrumentId(1 + pick(2));
  const isLong = scenario.position(user, id) > 0;
  const shape = { instrumentId: id, isBuy: !isLong, reduceOnly: true, size: pick(2) * pick(120) };
  const [up, down] = [anyTrigger(pick, shape), anyTrigger(pick, shape)];
  const orders = [
    { ...up, trigger: { ...up.trigger!, kind: 'takeProfit' as const } },
    { ...down, trigger: { ...down.trigger!, kind: 'stopLoss' as const } },
  ];
  return sign(scenario, user, {
    type: 'placeOrders',
    orders: orders.slice(pick(2)),
    grouping: 'position',
  });
}

function amend(scenario: Scenario, pick: Pick, user: Address): Command {
  const live = openOrders(scenario.state, user);
  const target = live[pick(Math.max(1, live.length))];
  return sign(scenario, user, {
    type: 'modifyOrder',
    instrumentId: target?.instrumentId ?? PERP.instrumentId,
    target: { orderId: target?.orderId ?? 1 },
    price: pick(3) === 0 ? (target?.price ?? 1_000_000) : near(pick, 40),
    size: pick(pick(3) === 0 ? 12 : 250),
  });
}

/** Replaces open orders, usually with orders for the same instrument. */
function replace(scenario: Scenario, pick: Pick, user: Address): Command {
  const live = openOrders(scenario.state, user);
  const targets = Array.from({ length: 1 + pick(2) }, () => live[pick(Math.max(1, live.length))]);
  return sign(scenario, user, {
    type: 'placeOrders',
    orders: targets.map((target) => {
      const placed = pick(4) === 0 ? anyTrigger(pick) : anyOrder(scenario, pick);
      return { ...placed, instrumentId: target?.instrumentId ?? placed.instrumentId };
    }),
    replaces: targets.map((target) => ({ orderId: target?.orderId ?? 1 })),
  });
}

function cancel(scenario: Scenario, pick: Pick, user: Address): Command {
  const live = openOrders(scenario.state, user);
  const own = live[pick(Math.max(1, live.length))];
  const recent = Math.max(1, scenario.state.nextOrderId - 1 - pick(30));
  const cancels = [
    ...(own === undefined ? [] : [{ instrumentId: own.instrumentId, orderId: own.orderId }]),
    { instrumentId: instrumentId(1 + pick(2)), orderId: recent },
  ];
  return sign(scenario, user, { type: 'cancelOrders', cancels });
}

function one<T>(pick: Pick, from: readonly T[]): T {
  return from[pick(from.length)]!;
}

function near(pick: Pick, ticks: number): number {
  return 1_000_000 + (pick(2 * ticks + 1) - ticks) * 1_000;
}

function clientId(pick: Pick): string {
  return `0x${pick(12).toString(16).padStart(32, '0')}`;
}
