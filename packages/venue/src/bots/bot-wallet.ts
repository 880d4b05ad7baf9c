import { instantiateSecp256k1, type Secp256k1 } from '@bitauth/libauth';
import {
  addressOf,
  createHasher,
  hashAction,
  jsonToMsgpack,
  type Hasher,
  type Network,
} from '@oddlot/protocol';
import type { Address } from '@oddlot/units';
import { botKey } from './simulated-accounts.ts';

/**
 * The key of a simulated trader. It is made from a fixed label, so that a trader finds its account
 * again after a restart, and so that anyone can see that nothing of value may ever lie there.
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
    this.address = addressOf(wanted(secp256k1.derivePublicKeyUncompressed(this.#privateKey)));
  }

  static async create(network: Network, label: string): Promise<BotWallet> {
    return new BotWallet(await instantiateSecp256k1(), network, label);
  }

  /** The body of an agent-signed request, as any client would send it. */
  sign(action: Readonly<Record<string, unknown>>, nonce: number): string {
    const msgpack = jsonToMsgpack(JSON.stringify(action));
    const { digest } = hashAction({ msgpack, action, envelope: { nonce } }, this.#hasher);
    const made = wanted(
      this.#secp256k1.signMessageHashRecoverableCompact(this.#privateKey, digest),
    );
    const hex = (from: number, to: number): string =>
      `0x${Buffer.from(made.signature.subarray(from, to)).toString('hex')}`;
    const signature = { r: hex(0, 32), s: hex(32, 64), v: 27 + made.recoveryId };
    return JSON.stringify({ action, signature, nonce });
  }
}

/** The library answers a fault with its text. */
function wanted<Value>(answer: Value | string): Value {
  if (typeof answer === 'string') throw new Error(answer);
  return answer;
}
