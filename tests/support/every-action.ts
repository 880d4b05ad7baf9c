import {
  createClient,
  limitOrder,
  privateKeyWallet,
  type Client,
  type ExecutedReply,
  type ProposedAction,
  type RegisterEventParameters,
  type RegisterMarketParameters,
  type ReplyOf,
} from '@oddlot/sdk';
import { Client as HttpClient } from './client.ts';
import { eventFields, marketFields } from './deployer.ts';
import { readMarket } from './market.ts';
import { keyOf } from './wallet.ts';

/**
 * Sends every signable action to a venue. Fixed keys act as the agents, account owners, multi-sig
 * signers, vault leader and operators.
 */

/** The exact text of the request body. */
export type SentAction = { readonly type: string; readonly body: string };

const confirm = { confirm: 'executed' } as const;
const HOUR_MS = 3_600_000;

const walletOf = (name: string) => privateKeyWallet(keyOf(`everything ${name}`));
export const OPERATOR = walletOf('operator').address;

type Person = { readonly exchange: Client['exchange']; readonly address: string };

export class EveryAction {
  readonly sent: SentAction[] = [];
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  /** Sends all actions, waits until each is executed, and returns the requests. */
  async act(): Promise<readonly SentAction[]> {
    const [alice, bob, builder] = await this.#funded('alice', 'bob', 'builder');
    const agent = this.#person('agent');
    await done(alice!.exchange.approveAgent({ agentAddress: agent.address }, confirm));
    await this.#operate(alice!);
    await this.#trade({ agent, alice: alice!, bob: bob!, builder: builder! });
    await this.#move({ alice: alice!, bob: bob! });
    await this.#agree();
    await this.#lead(alice!);
    return this.sent;
  }

  async #operate(alice: Person): Promise<void> {
    const { outcomeDeploy, venueAdmin } = this.#person('operator').exchange;
    await done(venueAdmin.setGate({ channel: 0, mode: 'open' }, confirm));
    const event = eventFields() as RegisterEventParameters;
    await done(outcomeDeploy.registerEvent(event, confirm));
    const market = marketFields(event.slug) as RegisterMarketParameters;
    const { created } = await done(outcomeDeploy.registerMarket(market, confirm));
    const { exchange } = alice;
    await done(exchange.transferBetween({ from: 'perp', to: 'outcome', amount: '50' }, confirm));
    const split = [{ asset: created!.instrumentId!, sz: '10' }];
    await done(exchange.outcomeOperate({ split }, confirm));
  }

  async #trade(people: Readonly<Record<'agent' | 'alice' | 'bob' | 'builder', Person>>) {
    const { agent, alice, bob, builder } = people;
    const market = await readMarket(new HttpClient(this.#url), 'ETH-USDC', alice.address);
    const { exchange } = agent;
    const asset = market.id;
    const order = (side: 'buy' | 'sell', basisPoints: number, cloid?: string) => {
      const [price, size] = [market.at(basisPoints), market.worth(100)];
      return limitOrder({ asset, side, price, size, marginMode: 'isolated', cloid });
    };
    await done(exchange.updatePositionMode({ positionMode: 'hedge' }, confirm));
    await done(exchange.updatePositionMode({ positionMode: 'oneWay' }, confirm));
    await done(exchange.updateMarginMode({ asset, isCross: false }, confirm));
    await done(exchange.updateLeverage({ asset, leverage: 5 }, confirm));
    const { orders } = await done(exchange.order({ orders: [order('buy', -2000)] }, confirm));
    const o = orders[0]!.oid!;
    const amended = { a: asset, o, p: market.at(-2100), s: market.worth(100) };
    await done(exchange.modify2(amended, confirm));
    await done(exchange.cancel({ cancels: [{ a: asset, o }] }, confirm));
    const cloid = '0x80f969def58c4e50bae286fe818208a5';
    await done(exchange.order({ orders: [order('buy', -2000, cloid)] }, confirm));
    await done(exchange.cancelByCloid({ cancels: [{ asset, cloid }] }, confirm));
    await done(exchange.scheduleCancel({ time: Date.now() + HOUR_MS }, confirm));
    await done(exchange.cancelAll({}, confirm));
    const approval = { builder: builder.address, maxFeeRate: '0.05%' };
    await done(alice.exchange.approveBuilderFee(approval, confirm));
    await done(bob.exchange.order({ orders: [order('sell', 0)] }, confirm));
    const fee = { b: builder.address, f: 10 };
    await done(exchange.order({ orders: [order('buy', 0)], builder: fee }, confirm));
    await done(exchange.updateIsolatedMargin({ asset, isBuy: true, ntli: 1_000_000 }, confirm));
    const bid = { ...order('buy', -10), s: market.worth(300) };
    await done(bob.exchange.order({ orders: [bid] }, confirm));
    await done(exchange.reversePosition({ asset }, confirm));
    await done(builder.exchange.claimBuilderRewards(confirm));
    await done(alice.exchange.revokeBuilderFee({ builder: builder.address }, confirm));
  }

  async #move({ alice, bob }: Readonly<Record<'alice' | 'bob', Person>>): Promise<void> {
    await done(alice.exchange.sendTo({ destination: bob.address, amount: '5' }, confirm));
    const payout = { destination: alice.address, amount: '5' };
    await done(alice.exchange.withdraw3(payout, confirm));
  }

  /** Sends an agent-signed action and a direct action, each in a multi-sig wrapper. */
  async #agree(): Promise<void> {
    const [group, first, second] = await this.#funded('group', 'first', 'second');
    const authorizedUsers = [first!.address, second!.address];
    const signers = { authorizedUsers, threshold: 2 };
    await done(group!.exchange.convertToMultiSigUser({ signers }, confirm));
    const destination = first!.address;
    const transfer = { destination, token: 0, fromAccountType: 'perp', toAccountType: 'perp' };
    const actions: ProposedAction[] = [
      { type: 'cancelAll' },
      { type: 'tokenSend', ...transfer, amount: '5' },
    ] as ProposedAction[];
    for (const action of actions) {
      const { multiSig } = first!.exchange;
      const proposal = await multiSig.propose({ multiSigUser: group!.address, action });
      const signing = [first!, second!].map(({ exchange }) => exchange.multiSig.sign(proposal));
      await done(multiSig.send(proposal, await Promise.all(signing), confirm));
    }
  }

  async #lead(leader: Person): Promise<void> {
    const [vault] = await this.#funded('vault');
    const shares = [{ user: leader.address, shares: '1' }];
    const registered = { vault: vault!.address, leader: leader.address, name: 'Calm', shares };
    const { venueAdmin } = this.#person('operator').exchange;
    await done(venueAdmin.registerVault(registered, confirm));
    await done(leader.exchange.forVault(vault!.address).cancelAll({}, confirm));
  }

  #person(name: string): Person {
    const wallet = walletOf(name);
    const client = createClient({ url: this.#url, wallet, fetch: this.#recording });
    return { exchange: client.exchange, address: wallet.address };
  }

  async #funded(...names: readonly string[]): Promise<readonly Person[]> {
    const people = names.map((name) => this.#person(name));
    for (const { address } of people) {
      await createClient({ url: this.#url }).faucet({ user: address });
    }
    return people;
  }

  readonly #recording: typeof fetch = (input, init) => {
    if (String(input).endsWith('/exchange')) {
      const body = String(init?.body);
      this.sent.push({ type: (JSON.parse(body) as { action: SentAction }).action.type, body });
    }
    return fetch(input, init);
  };
}

/** Returns the results of an executed action. Throws if the action failed or was not executed. */
async function done(sent: Promise<ReplyOf<'executed'>>): Promise<ExecutedReply> {
  const reply = await sent;
  if (reply.status === 'executed' && reply.failure === undefined) return reply;
  throw new Error(`Not executed: ${JSON.stringify(reply)}`);
}
