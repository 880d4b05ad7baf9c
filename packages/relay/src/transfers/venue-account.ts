import {
  createHasher,
  type Hasher,
  type Network,
  NonceSource,
  privateKeyWallet,
  signAction,
  type UnboundAction,
  type Wallet,
} from '@oddlot/sdk';
import { formatMoney } from '@oddlot/units';
import type { Hex } from 'viem';
import type { RelayKey } from '../relay-keys.ts';
import type { SubAccount, VenueSend } from '../book/records.ts';
import type { VenueApi } from '../venue-api.ts';

type Action = Parameters<typeof signAction>[0];

/** What became of a request that was sent to the venue. */
export type Delivered =
  | { readonly is: 'executed' }
  /** It was refused in a block, or is too old for one: it never executes, and another may be signed. */
  | { readonly is: 'void'; readonly why: string }
  /** Nothing is decided: the same bytes are sent again. */
  | { readonly is: 'open'; readonly why: string };

type VenueAccountOptions = {
  readonly key: RelayKey;
  readonly api: VenueApi;
  readonly network: Network;
  readonly now: () => number;
};

const USDC = 0;
const ZERO: Hex = `0x${'0'.repeat(40)}`;
/** Nonces are times, and the venue takes none that is older than two days (R-nonce); a while is added. */
const NONCE_MS = 49 * 3_600_000;

/** An account in the venue whose key the relay has: its own, or that of a peg. */
export class VenueAccount {
  readonly address: Hex;
  readonly #options: VenueAccountOptions;
  readonly #nonces: NonceSource;
  readonly #signing: { readonly hasher: Hasher; readonly wallet: Wallet };

  constructor(options: VenueAccountOptions) {
    this.#options = options;
    this.#nonces = new NonceSource(options.now);
    const wallet = privateKeyWallet(options.key.secret);
    this.#signing = { hasher: createHasher(options.network), wallet };
    this.address = wallet.address;
  }

  /** Ends the binding of this key as somebody's agent (R-agents). */
  signRelease(): Promise<VenueSend> {
    return this.#sign({ type: 'approveAgent', agentAddress: ZERO });
  }

  /** A transfer of this account, to be written down before it is delivered. */
  sign(transfer: {
    readonly destination: Hex;
    readonly amountMicro: bigint;
    readonly from: SubAccount;
    readonly to: SubAccount;
  }): Promise<VenueSend> {
    const { amountMicro, destination, from, to } = transfer;
    const kinds = { fromAccountType: from, toAccountType: to };
    const what = { destination, token: USDC, amount: formatMoney(amountMicro), ...kinds };
    return this.#sign({ type: 'tokenSend', ...what });
  }

  async #sign(unbound: UnboundAction): Promise<VenueSend> {
    const nonce = this.#nonces.next(this.address);
    const action = { ...unbound, ...this.#options.network, nonce } as Action;
    const fields = { nonce, confirm: 'executed' } as const;
    const { body, txHash } = await signAction(action, fields, this.#signing);
    return { body, txHash, nonce };
  }

  /**
   * Sends it and says what is known then. An answer that was lost is found by sending the same bytes
   * again (R-tx): the venue executes them once.
   */
  async deliver(send: VenueSend): Promise<Delivered> {
    const { api, now } = this.#options;
    const answer = await api.send(send);
    if (answer.is === 'executed') return answer;
    const { why } = answer;
    if (answer.is === 'failed') return { is: 'void', why };
    const status = await api.statusOf(send.txHash);
    if (status === 'executed') return { is: 'executed' };
    if (status === 'failed') return { is: 'void', why };
    const isVoid = answer.isNonceSpent || now() - send.nonce > NONCE_MS;
    return status === 'unknown' && isVoid ? { is: 'void', why } : { is: 'open', why };
  }
}
