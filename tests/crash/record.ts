import { expect } from 'vitest';
import { cloidOf, order, orderAction, type Actor, type World } from '../support/actors.ts';
import { eventually, type Json } from '../support/client.ts';
import { directAction, signDirect, signMultiSig } from '../support/direct.ts';
import type { Market } from '../support/market.ts';
import { definition, Operator, triggerOrder } from '../support/perps.ts';
import { addressOf, keyOf, nextNonce, ZERO_ADDRESS } from '../support/wallet.ts';
import type { JsonObject, Signed } from '../support/wallet.ts';

/**
 * Sends every signable action from several accounts, and stores each request with its first
 * response.
 */

export type Recorded = {
  readonly kind: string;
  readonly signed: Signed;
  /** The response to the request with `confirm`. It includes the receipt. */
  readonly first: Json;
};

const SIGNERS = [keyOf('replay signer 1'), keyOf('replay signer 2')] as const;
const DAY_MS = 24 * 3_600_000;

export class Record {
  readonly requests: Recorded[] = [];
  readonly world: World;
  readonly operator: Operator;
  /** Alice and Bob trade and hold positions. */
  readonly alice: Actor;
  readonly bob: Actor;
  /** This agent trades for Alice until she revokes it. */
  readonly desk: Actor;
  /** Carol holds an isolated position. */
  readonly carol: Actor;
  /** Dave never trades. He only transfers money and changes settings. */
  readonly dave: Actor;
  /** The builder earns fees from Alice's orders. */
  readonly builder: Actor;
  /** A multi-sig account with two signers. */
  readonly shared: Actor;
  readonly vault = addressOf(keyOf('replay vault'));
  /** This address may not trade outcome markets in every other round. */
  readonly barred = addressOf(keyOf('replay barred'));

  private constructor(world: World, people: readonly Actor[]) {
    this.world = world;
    this.operator = new Operator(world);
    [this.alice, this.bob, this.carol, this.dave, this.builder, this.shared] = people as [
      Actor,
      Actor,
      Actor,
      Actor,
      Actor,
      Actor,
    ];
    this.desk = world.unfunded('desk');
  }

  static async begin(world: World): Promise<Record> {
    const names = ['alice', 'bob', 'carol', 'dave', 'builder', 'shared'];
    const people: Actor[] = [];
    for (const name of names) people.push(await world.resident(name));
    return new Record(world, people);
  }

  /** Sends a request that must succeed, and stores it with its response. */
  async send(kind: string, signed: Signed): Promise<Json> {
    const data = await this.#sent(kind, signed);
    expect(data.statuses, kind).toEqual(['success']);
    return data;
  }

  /** Sends a request that must fail at execution, so that it leaves only a receipt. */
  async sendInVain(kind: string, signed: Signed): Promise<void> {
    const data = await this.#sent(kind, signed);
    expect(data.statuses, kind).toEqual([expect.objectContaining({ error: expect.any(String) })]);
  }

  async #sent(kind: string, signed: Signed): Promise<Json> {
    const { json, text } = await this.world.client.executed(signed);
    expect(json, `${kind}: ${text}`).toMatchObject({ status: 'ok', code: 0, confirm: 'executed' });
    this.requests.push({ kind, signed, first: json });
    return json.data.data;
  }

  async act(actor: Actor, action: JsonObject, options: JsonObject = {}): Promise<Json> {
    return this.send(String(action['type']), await actor.sign(action, options));
  }

  async direct(actor: Actor, type: string, fields: JsonObject): Promise<Json> {
    const nonce = nextNonce();
    return this.send(
      type,
      await signDirect(actor.key, directAction(type, nonce, fields), { nonce }),
    );
  }

  async wrapped(inner: (nonce: number) => JsonObject): Promise<Json> {
    const nonce = nextNonce();
    const [outerKey] = SIGNERS;
    const options = { nonce, multiSigUser: this.shared.address, outerKey, innerKeys: SIGNERS };
    return this.send('multiSig', await signMultiSig(inner(nonce), options));
  }

  async approve(agentAddress: string, agentName: string): Promise<Json> {
    return this.direct(this.alice, 'approveAgent', { agentAddress, agentName });
  }

  async share(): Promise<void> {
    const signers = { authorizedUsers: SIGNERS.map(addressOf).toSorted(), threshold: 2 };
    await this.direct(this.shared, 'convertToMultiSigUser', { signers: JSON.stringify(signers) });
  }

  async unshare(): Promise<void> {
    await this.wrapped((nonce) =>
      directAction('convertToMultiSigUser', nonce, { signers: 'null' }),
    );
  }

  /** Sends the actions that are sent only once, ahead of the rounds. */
  async prepare(): Promise<void> {
    await this.approve(this.desk.address, 'desk');
    await this.share();
    const vault = { vault: this.vault, leader: this.alice.address, name: 'vault' };
    await this.act(this.operator.actor, { type: 'venueAdmin', registerVault: vault });
    const gift = { destination: this.vault, token: 0, amount: '100' };
    await this.direct(this.dave, 'tokenSend', { ...gift, ...WITHIN_PERP });
    const cap = { builder: this.builder.address, maxFeeRate: '0.1%' };
    await this.direct(this.alice, 'approveBuilderFee', cap);
    const registerPerp = definition({ instrumentId: 77 });
    await this.act(this.operator.actor, { type: 'venueAdmin', registerPerp });
    await this.#reverse();
  }

  /**
   * Carol opens an isolated long and reverses it. The bid is large enough for the reversal to
   * happen immediately.
   */
  async #reverse(): Promise<void> {
    const { bob, carol } = this;
    const { eth: market } = this.world;
    const size = market.lots(200);
    const deal = { market, price: market.at(0), size };
    await this.act(bob, orderAction(order({ ...deal, side: 'sell' })));
    const isolated = { ...order({ ...deal, side: 'buy' }), m: 'isolated' };
    await this.act(carol, orderAction(isolated));
    await this.act(bob, orderAction(order({ ...deal, side: 'buy', size: market.lots(400) })));
    await this.act(carol, { type: 'reversePosition', asset: market.id });
    await eventually(async () => {
      expect(await carol.position(market)).toMatchObject({ szi: `-${size}` });
    });
  }

  /**
   * Sends each kind of request at least once. Buys and sells alternate, so that positions stay
   * small.
   */
  async round(number: number): Promise<void> {
    await this.#trade(number);
    await this.#orders(number);
    await this.#settings(number);
    await this.#agents(number);
    await this.#money(number);
    await this.#others(number);
  }

  async #trade(number: number): Promise<void> {
    const { btc: market } = this.world;
    const [seller, buyer] = number % 2 === 0 ? [this.bob, this.desk] : [this.desk, this.bob];
    const size = market.worth(20 + number);
    const deal = { market, price: market.at(0), size };
    const fee = { builder: { b: this.builder.address, f: 100 } };
    await this.act(seller, { ...orderAction(order({ ...deal, side: 'sell' })), ...fee });
    const bought = order({ ...deal, side: 'buy', tif: 'Ioc' });
    const { orders } = await this.act(buyer, { ...orderAction(bought), ...fee });
    expect(orders[0].state).toBe('filled');
  }

  /** Places only bids, because a one-sided book does not move the mark (R-mark). */
  async #orders(number: number): Promise<void> {
    const { btc: market } = this.world;
    const bid = bidOf(market, number);
    const [resting, first, second, third] = ['kept', 'first', 'second', 'third'].map((name) =>
      cloidOf(`replay ${number} ${name}`),
    ) as [string, string, string, string];
    await this.act(this.alice, orderAction(order({ ...bid, cloid: resting })));
    const batch = [first, second, third].map((cloid) => order({ ...bid, cloid, tif: 'Alo' }));
    const { orders } = await this.act(this.desk, orderAction(...batch));
    const price = market.ticks(bid.price, -3);
    await this.act(this.desk, { type: 'modify2', a: market.id, c: first, p: price, s: bid.size });
    const byId = { type: 'cancel', cancels: [{ a: market.id, o: orders[1].oid }] };
    await this.act(this.alice, byId);
    const byCloid = { type: 'cancelByCloid', cancels: [{ asset: market.id, cloid: third }] };
    await this.act(this.desk, byCloid);
    await this.sendInVain('cancel', await this.desk.sign(byId));
    const stop = { market, side: 'buy', kind: 'sl', at: market.at(3000), size: bid.size } as const;
    await this.act(this.alice, orderAction(triggerOrder({ ...stop, reduceOnly: false })));
  }

  async #settings(number: number): Promise<void> {
    const { sol } = this.world;
    const { alice, dave } = this;
    const leverage = 3 + (number % 5);
    await this.act(alice, { type: 'updateLeverage', asset: sol.id, leverage, marginMode: 'cross' });
    await this.act(dave, { type: 'updateMarginMode', asset: sol.id, isCross: number % 2 === 1 });
    const positionMode = number % 2 === 0 ? 'hedge' : 'oneWay';
    await this.act(dave, { type: 'updatePositionMode', positionMode });
    const ntli = number % 2 === 0 ? 20_000_000 : -1_000_000;
    const margin = { type: 'updateIsolatedMargin', asset: this.world.eth.id, isBuy: false };
    await this.act(this.carol, { ...margin, ntli });
    const time = Date.now() + DAY_MS;
    await this.act(dave, { type: 'scheduleCancel', ...(number % 2 === 0 ? { time } : {}) });
    await this.act(dave, orderAction(order(bidOf(sol, number))));
    await this.act(dave, { type: 'cancelAll', asset: sol.id });
  }

  /**
   * Approves, replaces and revokes a label, so that each of these three actions can be replayed.
   */
  async #agents(number: number): Promise<void> {
    const label = `label ${number % 3}`;
    await this.approve(addressOf(keyOf(`replay agent ${number}`)), label);
    if (number % 2 === 0) await this.approve(addressOf(keyOf(`replay other ${number}`)), label);
    if (number % 3 === 0) await this.approve(ZERO_ADDRESS, label);
  }

  async #money(number: number): Promise<void> {
    const { alice, bob, builder, dave } = this;
    const sent = { token: 0, amount: `${2 + number}.25` };
    const apart = { fromAccountType: 'perp', toAccountType: 'outcome' };
    await this.direct(dave, 'tokenSend', { destination: dave.address, ...sent, ...apart });
    await this.direct(dave, 'tokenSend', { destination: bob.address, ...sent, ...WITHIN_PERP });
    await this.direct(dave, 'withdraw3', { destination: dave.address, amount: '2.5' });
    const other = addressOf(keyOf(`replay builder ${number}`));
    await this.direct(alice, 'approveBuilderFee', { builder: other, maxFeeRate: '0.05%' });
    if (number % 2 === 0) await this.direct(alice, 'revokeBuilderFee', { builder: other });
    await this.act(builder, { type: 'claimBuilderRewards' });
  }

  /** Sends actions by the operator, the multi-sig account and the vault. */
  async #others(number: number): Promise<void> {
    const { eth } = this.world;
    const bid = order(bidOf(eth, number));
    await this.wrapped(() => orderAction(bid));
    const agentAddress = addressOf(keyOf(`replay shared agent ${number}`));
    const named = { agentAddress, agentName: `agent ${number}` };
    await this.wrapped((nonce) => directAction('approveAgent', nonce, named));
    await this.act(this.alice, orderAction(bid), { vaultAddress: this.vault });
    const setPerp = { instrumentId: eth.id, makerFeeRate: number % 2 === 0 ? '0.0001' : '0.00015' };
    await this.act(this.operator.actor, { type: 'venueAdmin', setPerp });
    const listed = { [number % 2 === 0 ? 'add' : 'remove']: [this.barred] };
    const setGate = { channel: 1, blacklist: listed };
    await this.act(this.operator.actor, { type: 'venueAdmin', setGate });
  }
}

const WITHIN_PERP = { fromAccountType: 'perp', toAccountType: 'perp' };

/** Returns a bid far below the mark that never trades. */
function bidOf(market: Market, number: number) {
  const price = market.ticks(market.at(-3000), -10 * number);
  return { market, side: 'buy', price, size: market.worth(30) } as const;
}
