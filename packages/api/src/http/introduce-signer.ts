import { agentOwner, hasAccount, type State } from '@oddlot/engine';
import type { Endpoint } from '@oddlot/host/http';
import { Address, mainnetSignature } from '@oddlot/protocol';
import type { Address as AddressText } from '@oddlot/units';
import { recovering, type RecoverPool } from '../recover-pool.ts';
import type { Introduced } from './exchange-endpoint.ts';

type Options = {
  readonly state: () => State;
  readonly pool: Pick<RecoverPool, 'recover'>;
  /** Undefined if the venue has no faucet, in which case unknown signers stay unknown. */
  readonly faucet: Endpoint | undefined;
};

const LOOPBACK = '127.0.0.1';
/** If more addresses are remembered, all of them are forgotten. */
const REMEMBERED_MAX = 10_000;

/**
 * Handles requests of unknown signers on the port for Hyperliquid clients. An L1 signature for
 * Hyperliquid's mainnet recovers to a different address with each request here. The mainnet signer
 * is therefore compared with known accounts, queried addresses and the mainnet signers of earlier
 * requests. If it is one of them, the request is refused with that reason; any other signer is
 * credited with test funds.
 */
export class SignerIntroductions {
  readonly #options: Options;
  readonly #remembered = new Set<string>();

  constructor(options: Options) {
    this.#options = options;
  }

  /** Remembers the account of a query, because clients query the account for which they trade. */
  noteQueried(user: unknown): void {
    const address = Address.safeParse(user).data;
    if (address !== undefined) this.#remember(address);
  }

  async introduce(signer: AddressText, request: string): Promise<Introduced> {
    const { faucet, pool } = this.#options;
    const { mainnetSigner } = await recovering(pool.recover(request));
    if (mainnetSigner !== undefined && !this.#remembered.has(signer)) {
      const isMeant =
        this.#remembered.has(mainnetSigner) || this.#isKnown(mainnetSigner as AddressText);
      if (isMeant) return { refused: mainnetSignature('a') };
      this.#remember(mainnetSigner);
    }
    if (faucet === undefined) return { isKnown: false };
    const body = { user: signer };
    await faucet.handle({ body, text: JSON.stringify(body), ip: LOOPBACK });
    return { isKnown: this.#isKnown(signer) };
  }

  #isKnown(user: AddressText): boolean {
    const state = this.#options.state();
    return hasAccount(state, user) || agentOwner(state, user) !== undefined;
  }

  #remember(address: string): void {
    if (this.#remembered.size >= REMEMBERED_MAX) this.#remembered.clear();
    this.#remembered.add(address);
  }
}
