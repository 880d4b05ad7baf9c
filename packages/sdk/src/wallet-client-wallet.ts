import { SigningError } from './errors.ts';
import type { TypedData } from './typed-data.ts';
import { asked, readAddress, readChainId, readSignature } from './wallet-answer.ts';
import type { Wallet } from './wallet.ts';

/** The part of a viem `WalletClient` that is used. */
export type TypedDataClient = {
  /** Local accounts hold their key; the others are asked over the client's transport. */
  readonly account?: { readonly address: string; readonly type: string } | undefined;
  getChainId(): Promise<number>;
  signTypedData(parameters: {
    account: never;
    domain: TypedData['domain'];
    types: Record<string, unknown>;
    primaryType: string;
    message: Record<string, unknown>;
  }): Promise<string>;
};

/**
 * A `WalletClient` of viem. With a local account it signs for any chain; with an account behind a
 * transport it is bound to its chain, as `eip1193Wallet` is. A client without an account is told
 * which address signs.
 */
export function walletClientWallet(client: TypedDataClient, account?: string): Wallet {
  const named = account ?? client.account?.address;
  if (named === undefined) throw new SigningError('The wallet client has no account. Pass one');
  const own = readAddress(named);
  const holder = client.account;
  const isLocal = holder?.type === 'local' && holder.address.toLowerCase() === own;
  return {
    address: own,
    isInteractive: !isLocal,
    ...(isLocal
      ? {}
      : { chainId: async () => readChainId(await asked(() => client.getChainId())) }),
    sign: async ({ digest, typedData }) => {
      const { domain, types, primaryType, message } = typedData();
      const parameters = {
        account: (isLocal ? holder : own) as never,
        domain,
        types: { ...types },
        primaryType,
        message: { ...message },
      };
      const signature = await asked(() => client.signTypedData(parameters));
      return readSignature(signature, { digest, signer: own });
    },
  };
}
