import { isPermissionedType, type ActionHash, type InnerHash } from '@oddlot/protocol';
import { SigningError } from '../errors.ts';
import type { Wallet } from '../wallet.ts';

/**
 * Refuses to ask a wallet for a signature that its chain does not allow: it would answer with an
 * error of its own that does not say what to do instead.
 *
 * @throws SigningError
 */
export async function checkChain(
  wallet: Wallet,
  {
    hash: { scheme, domainChainId },
    type,
  }: { readonly hash: ActionHash | InnerHash; readonly type: string },
): Promise<void> {
  const chainId = await wallet.chainId?.();
  if (chainId === undefined || chainId === domainChainId) return;
  const where = `The wallet signs for chain ${chainId} only`;
  if (scheme !== 'agent') {
    const cure = 'Leave signatureChainId out, or switch the wallet to that chain.';
    throw new SigningError(`${where}, but ${type} was to be signed for ${domainChainId}. ${cure}`);
  }
  const cure = isPermissionedType(type)
    ? "Sign it with the admin's key (privateKeyWallet or accountWallet)."
    : 'Approve an agent with this wallet (approveAgent), and send it from a client with ' +
      "the agent's key.";
  throw new SigningError(
    `${where}, but ${type} is always signed for the venue's chain ${domainChainId}. ${cure}`,
  );
}
