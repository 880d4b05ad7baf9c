import { reader } from '../market/venue.ts';
import { queryClient } from '../market/queries.ts';
import type { Client, Wallet } from '@oddlot/sdk';
import type { Signing } from './signing.ts';

/** The part of the page that signs, loaded on the first use. */
export async function loadSigning(): Promise<
  Omit<Signing, 'clientOf'> & { readonly clientOf: (wallet: Wallet) => Client }
> {
  const [{ signing }, settings] = await Promise.all([
    import('./signing.ts'),
    queryClient.ensureQueryData({
      queryKey: ['settings'],
      queryFn: () => reader.info.settings(),
    }),
  ]);
  return { ...signing, clientOf: (wallet) => signing.clientOf(wallet, settings) };
}
