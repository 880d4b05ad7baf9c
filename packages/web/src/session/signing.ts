import {
  createClient,
  createRelayClient,
  eip1193Wallet,
  privateKeyWallet,
  randomPrivateKey,
  signPermit,
  type Client,
  type Eip1193Provider,
  type RelayClient,
  type Settings,
  type Wallet,
} from '@oddlot/sdk';
import { noteLimit, reader } from '../market/venue.ts';

/**
 * All that signs. It is as large as the rest of the page, so it is loaded when the first key is: import it by
 * `loadSigning` alone.
 */

export type Signing = {
  readonly keyWallet: (key: `0x${string}`) => Wallet;
  readonly browserWallet: (provider: Eip1193Provider, address: string) => Wallet;
  readonly newKey: () => `0x${string}`;
  readonly signPermit: typeof signPermit;
  /** It signs nothing, but checks what it asks by the same schemas. */
  readonly relayAt: (url: string) => RelayClient;
  /**
   * A client that signs by a wallet, for the venue that this page is of: the page comes from there too, so
   * whoever doubts the name that it tells has no reason to trust the page.
   */
  readonly clientOf: (wallet: Wallet, settings: Settings) => Client;
};

export const signing: Signing = {
  keyWallet: privateKeyWallet,
  browserWallet: eip1193Wallet,
  newKey: randomPrivateKey,
  signPermit,
  relayAt: (url) => createRelayClient({ url }),
  clientOf: (wallet, settings) =>
    createClient({
      url: location.origin,
      replicas: reader.replicas,
      onRateLimited: noteLimit,
      network: {
        serviceNetwork: settings.service_network,
        chainId: settings.chain_id,
        apiVersion: settings.api_version,
      },
      wallet,
    }),
};
