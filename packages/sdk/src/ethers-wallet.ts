import type { TypedData } from './typed-data.ts';
import { asked, readAddress, readChainId, readSignature } from './wallet-answer.ts';
import type { Wallet } from './wallet.ts';

/** The part of a `Signer` of ethers (version 6) that is used. */
export type EthersSigner = {
  /** The key itself, in signers that hold one. */
  readonly signingKey?: unknown;
  readonly provider: { getNetwork(): Promise<{ readonly chainId: bigint }> } | null;
  getAddress(): Promise<string>;
  signTypedData(
    domain: TypedData['domain'],
    types: Record<string, { name: string; type: string }[]>,
    value: Record<string, unknown>,
  ): Promise<string>;
};

/**
 * A signer of ethers. One that holds its key signs for any chain; one that asks a browser's wallet is
 * bound to its chain, as `eip1193Wallet` is.
 */
export async function ethersWallet(signer: EthersSigner): Promise<Wallet> {
  const own = readAddress(await asked(() => signer.getAddress()));
  const { provider } = signer;
  const holdsKey = signer.signingKey !== undefined;
  const chainId = async (): Promise<number> =>
    readChainId((await asked(async () => provider?.getNetwork()))?.chainId);
  return {
    address: own,
    isInteractive: !holdsKey,
    ...(holdsKey || provider === null ? {} : { chainId }),
    sign: async ({ digest, typedData }) => {
      const { domain, types, primaryType, message } = typedData();
      // Ethers writes the type of the domain itself and takes a second one for an unused struct.
      const fields = (types[primaryType] ?? []).map((field) => ({ ...field }));
      const signature = await asked(() =>
        signer.signTypedData({ ...domain }, { [primaryType]: fields }, { ...message }),
      );
      return readSignature(signature, { digest, signer: own });
    },
  };
}
