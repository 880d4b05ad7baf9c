import {
  ApiError,
  createHasher,
  type Hasher,
  HttpError,
  type Network,
  NonceSource,
  privateKeyWallet,
  registerPegs,
  signAction,
  type UnboundAction,
  type Wallet,
} from '@oddlot/sdk';
import { formatMoney } from '@oddlot/units';
import type { Hex, LocalAccount } from 'viem';
import type { RelayKey } from '../relay-keys.ts';
import type { SubAccount, VenueSend } from '../book/relay-book.ts';
import { VENUE_REQUESTS, type VenueApi, VenueUnavailableError } from '../venue-api.ts';
import { chainFault } from '@oddlot/custody/chain';
import type { Logger } from '@oddlot/host/log';
import { pegMessage } from '@oddlot/custody/peg-message';

type Action = Parameters<typeof signAction>[0];

/** The result of a request sent to the venue. */
export type Delivered =
  | { readonly is: 'executed' }
  /**
   * The request was rejected in a block, or is too old for one. It will never be executed, and a
   * new one can be signed.
   */
  | { readonly is: 'void'; readonly why: string }
  /** The result is undecided, and the same bytes are sent again. */
  | { readonly is: 'open'; readonly why: string };

type VenueAccountOptions = {
  readonly key: RelayKey;
  readonly api: VenueApi;
  readonly network: Network;
  readonly now: () => number;
};

const USDC = 0;
const ZERO: Hex = `0x${'0'.repeat(40)}`;
/**
 * Nonces are times, and the venue rejects those older than two days (R-nonce). This bound, in
 * milliseconds, includes a margin.
 */
const NONCE_MS = 49 * 3_600_000;

/** An account in the venue whose key the relay has: its own account or a peg. */
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

  /** Signs a request that ends this key's binding as an agent of another account (R-agents). */
  signRelease(): Promise<VenueSend> {
    return this.#sign({ type: 'approveAgent', agentAddress: ZERO });
  }

  /** Signs a transfer of this account, which must be recorded before it is delivered. */
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
   * Sends a request and returns the known result. If the response is lost, the same bytes are sent
   * again (R-tx), because the venue executes them only once.
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

type ClaimOptions = {
  readonly account: VenueAccount;
  readonly api: Pick<VenueApi, 'ownerOf'>;
  readonly registerPegs: (addresses: readonly Hex[]) => Promise<void>;
  readonly log: Logger;
};

/**
 * Registers the relay's address with the venue before the address becomes public, and ends any
 * older binding of its key (R-agents). Money from pegs is collected in the relay's own account, and
 * an address that is bound as an agent cannot have one. An unregistered relay still serves
 * requests, but without pegs.
 */
export async function claimAddress(options: ClaimOptions): Promise<void> {
  const { account, api, log, registerPegs: register } = options;
  const { address } = account;
  try {
    await register([address]);
    if ((await api.ownerOf(address)) === undefined) return;
    const result = await account.deliver(await account.signRelease());
    if (result.is === 'executed') log.info({ address }, 'relay agent approval revoked');
    else log.warn({ address, why: result.why }, 'relay agent approval could not be revoked');
  } catch (error) {
    log.warn(
      { address, why: chainFault(error) },
      'relay address could not be registered with the venue',
    );
  }
}

/**
 * Registers pegs at the venue's operations port, signed by the relay's key, so that transfers to
 * them cost no opening fee (R-limits-of-state). Resolves once they are in the venue's log.
 */
export function pegRegistrar(options: {
  readonly url: string;
  readonly account: LocalAccount;
  readonly network: Network;
}): (addresses: readonly Hex[]) => Promise<void> {
  const { account, network, url } = options;
  return async (addresses) => {
    const message = pegMessage(network, addresses);
    const signature = await account.signMessage({ message });
    try {
      await registerPegs({ url, ...VENUE_REQUESTS }, { addresses, signature });
    } catch (cause) {
      if (cause instanceof ApiError) {
        throw new VenueUnavailableError(
          `the venue rejected the relay withdrawal addresses: ${cause.message}`,
          { cause },
        );
      }
      if (!(cause instanceof HttpError)) throw cause;
      throw new VenueUnavailableError(`no response from ${url}/pegs`, { cause });
    }
  };
}
