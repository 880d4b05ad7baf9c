import {
  bytesToHex,
  canonicalAction,
  createHasher,
  encodeMsgpack,
  hashAction,
  MESSAGES,
  type Network,
  signatureBytes,
  type StructValues,
  txHash,
} from '@oddlot/protocol';
import { formatMoney } from '@oddlot/units';
import type { Hex } from 'viem';
import { sign as signDigest } from 'viem/accounts';
import type { RelayKey } from '../relay-keys.ts';
import type { SubAccount, VenueSend } from '../book/records.ts';
import type { VenueApi } from '../venue-api.ts';

type Action = Parameters<typeof canonicalAction>[0];

/** What became of a request that was sent to the venue. */
export type Delivered =
  | { readonly is: 'executed' }
  /** It was refused in a block, or is too old for one: it never executes, and another may be signed. */
  | { readonly is: 'void'; readonly why: string }
  /** Nothing is decided: the same bytes are sent again. */
  | { readonly is: 'open'; readonly why: string };

export type VenueAccountOptions = {
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
  #nonce = 0;

  constructor(options: VenueAccountOptions) {
    this.#options = options;
    this.address = options.key.address.toLowerCase() as Hex;
  }

  /** Ends the binding of this key as somebody's agent (R-agents). */
  signRelease(): Promise<VenueSend> {
    return this.#sign((head) => ({ type: 'approveAgent', ...head, agentAddress: ZERO }));
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
    return this.#sign((head) => ({ type: 'tokenSend', ...head, ...what }));
  }

  async #sign(actionOf: (head: Network & { nonce: number }) => Action): Promise<VenueSend> {
    const { key, network, now } = this.#options;
    const nonce = Math.max(Math.floor(now()), this.#nonce + 1);
    this.#nonce = nonce;
    const action = canonicalAction(actionOf({ ...network, nonce }));
    const hasher = createHasher(network);
    const values = action as unknown as StructValues;
    const msgpack = encodeMsgpack(action);
    const hash = hashAction({ msgpack, action: values, envelope: { nonce } }, hasher);
    const { r, s, yParity } = await signDigest({
      hash: bytesToHex(hash.digest) as Hex,
      privateKey: key.secret,
    });
    const signature = { r, s, v: yParity === 0 ? 27 : 28 } as const;
    const name = txHash(hash.signed, signatureBytes(signature), hasher.keccak);
    const body = JSON.stringify({ action, signature, nonce, confirm: 'executed' });
    return { body, txHash: bytesToHex(name) as Hex, nonce };
  }

  /**
   * Sends it and says what is known then. An answer that was lost is found by sending the same bytes
   * again (R-tx): the venue executes them once.
   */
  async deliver(send: VenueSend): Promise<Delivered> {
    const { api, now } = this.#options;
    const answer = await api.exchange(send.body);
    if (answer['status'] === 'ok') {
      const error = errorOf(answer);
      return error === undefined ? { is: 'executed' } : { is: 'void', why: error };
    }
    const why = String(answer['message'] ?? answer['response'] ?? answer['status']);
    const status = await api.statusOf(send.txHash);
    if (status === 'executed') return { is: 'executed' };
    if (status === 'failed') return { is: 'void', why };
    // A nonce that is used up or too low stays so; one that is too far ahead will come.
    const isNonceGone = answer['name'] === 'BAD_NONCE' && why !== MESSAGES.nonceTooFar();
    const isVoid = isNonceGone || now() - send.nonce > NONCE_MS;
    return status === 'unknown' && isVoid ? { is: 'void', why } : { is: 'open', why };
  }
}

function errorOf(answer: Readonly<Record<string, unknown>>): string | undefined {
  const { data } = answer as {
    readonly data?: { readonly data?: { readonly statuses?: readonly unknown[] } };
  };
  const first = data?.data?.statuses?.[0];
  if (typeof first !== 'object' || first === null || !('error' in first)) return undefined;
  return String(first.error);
}
