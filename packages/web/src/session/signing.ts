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
 * The signing code, which is as large as all the page's other code. Import it only through
 * `loadSigning`.
 */

export type Signing = {
  readonly keyWallet: (key: `0x${string}`) => Wallet;
  readonly browserWallet: (provider: Eip1193Provider, address: string) => Wallet;
  readonly newKey: () => `0x${string}`;
  readonly signPermit: typeof signPermit;
  readonly relayAt: (url: string) => RelayClient;
  /** The network name in the settings is trusted, because the page itself comes from the venue. */
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
