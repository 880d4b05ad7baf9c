import type { ExchangeContext } from './send-action.ts';

/**
 * The `signatureChainId` of a direct action: what the caller asks for, else the chain that the wallet
 * insists on, else none, which means the venue's own.
 */
export async function domainChainOf(
  { hasher, wallet }: ExchangeContext,
  asked: number | undefined,
): Promise<number | undefined> {
  const { network } = await hasher();
  const chainId = asked ?? (await wallet?.chainId?.());
  return chainId === network.chainId ? undefined : chainId;
}
