import { accountView, outcomeAccountView, type PerpDefinition } from '@oddlot/engine';
import type { Address } from '@oddlot/units';
import type { Replica } from '@oddlot/replica/replica';
import { formatPrice, formatSize } from '@oddlot/translate/format';
import { instantiateSecp256k1, type Secp256k1 } from '@bitauth/libauth';
import {
  addressOf,
  createHasher,
  hashAction,
  type Hasher,
  jsonToMsgpack,
  type Network,
} from '@oddlot/protocol';
import { botKey } from './simulated-accounts.ts';

/** The public endpoint for actions, called without a socket. */
type BotExchange = {
  handleText(request: { readonly text: string; readonly ip: string }): BotReply | Promise<BotReply>;
};

type BotReply = {
  readonly body: string;
};

export type BotVenue = {
  readonly replica: Replica;
  readonly exchange: BotExchange;
  readonly now: () => number;
  /** Called when an action is rejected; trading continues. */
  readonly onRefused: (account: Address, message: string) => void;
};

export type BotOrder = {
  readonly perp: PerpDefinition;
  readonly isBuy: boolean;
  readonly price: number;
  readonly size: number;
  readonly tif: 'Alo' | 'Ioc';
};

type BotShares = { readonly instrumentId: number; readonly szDecimals: number };

/** An order for outcome shares; the price is for that outcome. */
export type BotShareOrder = {
  readonly market: BotShares;
  readonly isBuy: boolean;
  readonly reduceOnly: boolean;
  readonly price: number;
  readonly size: number;
  readonly limit: { readonly tif: 'Alo' } | { readonly tif: 'Gtd'; readonly expireTime: number };
};

/** A trader is topped up when its account value falls below the grant divided by this number. */
const POOR_SHARE = 2n;

/**
 * A simulated account. Its requests are processed like any client's: signed, recovered, validated
 * and logged, with a receipt. Only the socket and the per-client rate limit are omitted.
 */
export class Trader {
  readonly #venue: BotVenue;
  readonly #wallet: BotWallet;
  #nonce = 0;

  constructor(venue: BotVenue, wallet: BotWallet) {
    this.#venue = venue;
    this.#wallet = wallet;
  }

  get address(): Address {
    return this.#wallet.address;
  }

  /** Tops up the account to the grant with test funds if its value is low. */
  async topUp(grantMicroUsdc: number): Promise<void> {
    const { replica } = this.#venue;
    const grant = BigInt(grantMicroUsdc);
    const value = accountView(replica.state, this.address)?.total.accountValue ?? 0n;
    if (value * POOR_SHARE >= grant) return;
    await replica.propose({
      type: 'creditFaucet',
      account: this.address,
      subAccount: 'perp',
      amountMicroUsdc: Number(grant - value),
    });
  }

  /** Tops up the outcome balance to the grant with test funds if it is low. */
  async topUpOutcome(grantMicroUsdc: number): Promise<void> {
    const { replica } = this.#venue;
    const grant = BigInt(grantMicroUsdc);
    const { free = 0n, reserved = 0n } = outcomeAccountView(replica.state, this.address) ?? {};
    if ((free + reserved) * POOR_SHARE >= grant) return;
    await replica.propose({
      type: 'creditFaucet',
      account: this.address,
      subAccount: 'outcome',
      amountMicroUsdc: Number(grant - free - reserved),
    });
  }

  /**
   * Places at most as many orders as one action allows. Returns false if the action was rejected.
   */
  place(orders: readonly BotOrder[]): Promise<boolean> {
    const wire = orders.map(({ perp, isBuy, price, size, tif }) => ({
      a: perp.instrumentId,
      b: isBuy,
      p: formatPrice(perp, price),
      s: formatSize(perp, size),
      r: false,
      t: { limit: { tif } },
    }));
    return this.#send({ type: 'order', grouping: 'na', orders: wire });
  }

  /** Places orders for outcome shares, with the same limit and the same result as `place`. */
  placeShares(orders: readonly BotShareOrder[]): Promise<boolean> {
    const wire = orders.map(({ market, isBuy, reduceOnly, price, size, limit }) => ({
      a: market.instrumentId,
      b: isBuy,
      p: formatPrice(market, price),
      s: formatSize(market, size),
      r: reduceOnly,
      t: { limit },
    }));
    return this.#send({ type: 'order', grouping: 'na', orders: wire });
  }

  /** Splits USDC into pairs of shares or merges pairs into USDC. */
  operate(
    kind: 'split' | 'merge',
    pairs: readonly { readonly market: BotShares; readonly size: number }[],
  ): Promise<boolean> {
    const entries = pairs.map(({ market, size }) => ({
      asset: market.instrumentId,
      sz: formatSize(market, size),
    }));
    return this.#send({ type: 'outcomeOperate', [kind]: entries });
  }

  cancel(orders: readonly { instrumentId: number; orderId: number }[]): Promise<boolean> {
    const cancels = orders.map(({ instrumentId, orderId }) => ({ a: instrumentId, o: orderId }));
    return this.#send({ type: 'cancel', cancels });
  }

  async #send(action: Readonly<Record<string, unknown>>): Promise<boolean> {
    const { exchange, now, onRefused, replica } = this.#venue;
    // A venue's first action can be signed in the very millisecond in which its log began, and the
    // nonce must be greater than that (R-nonce).
    this.#nonce = Math.max(this.#nonce + 1, now(), replica.state.beganMs + 1);
    const text = this.#wallet.sign(action, this.#nonce);
    const reply = await exchange.handleText({ text, ip: 'simulated' });
    const answer = JSON.parse(reply.body) as { status: string; message?: string };
    if (answer.status === 'ok') return true;
    onRefused(this.address, answer.message ?? answer.status);
    return false;
  }
}

/**
 * The key of a simulated trader. It is derived from a fixed label, so that a trader finds its
 * account again after a restart. The key is public, so the account must never hold anything of
 * value.
 */
export class BotWallet {
  readonly address: Address;
  readonly #secp256k1: Secp256k1;
  readonly #hasher: Hasher;
  readonly #privateKey: Uint8Array;

  private constructor(secp256k1: Secp256k1, network: Network, label: string) {
    this.#secp256k1 = secp256k1;
    this.#hasher = createHasher(network);
    this.#privateKey = botKey(label);
    this.address = addressOf(valueOrThrow(secp256k1.derivePublicKeyUncompressed(this.#privateKey)));
  }

  static async create(network: Network, label: string): Promise<BotWallet> {
    return new BotWallet(await instantiateSecp256k1(), network, label);
  }

  /** Returns the body of a signed request. */
  sign(action: Readonly<Record<string, unknown>>, nonce: number): string {
    const msgpack = jsonToMsgpack(JSON.stringify(action));
    const { digest } = hashAction({ msgpack, action, envelope: { nonce } }, this.#hasher);
    const made = valueOrThrow(
      this.#secp256k1.signMessageHashRecoverableCompact(this.#privateKey, digest),
    );
    const hex = (from: number, to: number): string =>
      `0x${Buffer.from(made.signature.subarray(from, to)).toString('hex')}`;
    const signature = { r: hex(0, 32), s: hex(32, 64), v: 27 + made.recoveryId };
    return JSON.stringify({ action, signature, nonce });
  }
}

/** Returns the value. Throws if the library returned a string, which is how it reports an error. */
function valueOrThrow<Value>(answer: Value | string): Value {
  if (typeof answer === 'string') throw new Error(answer);
  return answer;
}
