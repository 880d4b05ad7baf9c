import { useQuery } from '@tanstack/react-query';
import type { Client, VenueStatus } from '@oddlot/sdk';
import { useSettings } from '../../market/queries.ts';
import { loadSigning, type Session, useSession } from '../../session/session.ts';
import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';

export type Hindrance =
  | { readonly why: 'nobody' }
  | { readonly why: 'notOperator' | 'noKey'; readonly address: string }
  /** A wallet signs for the chain that it is on, and this one is not the venue's. */
  | {
      readonly why: 'chain';
      readonly address: string;
      readonly own: number;
      readonly venue: number;
    };

export type Operator = {
  readonly address: string | undefined;
  readonly isAdmin: boolean;
  readonly isDeployer: boolean;
  /** Whether it is the key that was typed in here. */
  readonly isByKey: boolean;
  /** Signs what admins do; undefined for who may not. */
  readonly admin: Client | undefined;
  readonly deployer: Client | undefined;
  readonly hindrance: Hindrance | undefined;
};

/** Who acts here: the key that was opened for it, or else the account of the page. Agents do not count. */
export function useOperator(status: VenueStatus): Operator {
  const session = useSession();
  const key = useOperatorKey();
  const chain = useChain(session);
  const address = key?.address ?? session?.address;
  const isAdmin = address !== undefined && status.admins.includes(address);
  const isDeployer = address !== undefined && status.deployers.includes(address);
  const hindrance =
    key === undefined
      ? hindranceOf(session, { isOperator: isAdmin || isDeployer, ...chain })
      : isAdmin || isDeployer
        ? undefined
        : { why: 'notOperator' as const, address: key.address };
  const client = hindrance === undefined ? (key?.client ?? session?.owner) : undefined;
  return {
    address,
    isAdmin,
    isDeployer,
    isByKey: key !== undefined,
    admin: isAdmin ? client : undefined,
    deployer: isDeployer ? client : undefined,
    hindrance,
  };
}

type Chain = { readonly own: number | undefined; readonly venue: number | undefined };

function hindranceOf(
  session: Session | undefined,
  { isOperator, own, venue }: Chain & { readonly isOperator: boolean },
): Hindrance | undefined {
  if (session === undefined) return { why: 'nobody' };
  const { address, owner } = session;
  if (!isOperator) return { why: 'notOperator', address };
  if (owner === undefined) return { why: 'noKey', address };
  if (own === undefined || venue === undefined || own === venue) return undefined;
  return { why: 'chain', address, own, venue };
}

const EVERY_MS = 3_000;

function useChain(session: Session | undefined): Chain {
  const { data: settings } = useSettings();
  const wallet = session?.owner?.wallet;
  const { data: own } = useQuery({
    queryKey: ['walletChain', session?.address],
    queryFn: async () => (await wallet?.chainId?.()) ?? null,
    enabled: wallet?.chainId !== undefined,
    // Its owner may switch it while the page is open.
    refetchInterval: EVERY_MS,
  });
  return { own: own ?? undefined, venue: settings?.chain_id };
}

/**
 * An operator's key that was typed in here. What operators sign is bound to the venue's own chain, which browser
 * wallets do not know; so the key itself signs. It lives in the memory of this page alone and goes with it.
 */
type OperatorKey = { readonly address: string; readonly client: Client };

const store = createStore<{ readonly key: OperatorKey | undefined }>(() => ({ key: undefined }));

function useOperatorKey(): OperatorKey | undefined {
  return useStore(store, ({ key }) => key);
}

const KEY = /^(?:0x)?[0-9a-fA-F]{64}$/;

/** The order of the curve: keys are the numbers below it, but for 0. */
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/** What is wrong with a text as a key: it has another form, or no account can have it. */
export function faultOfKey(typed: string): 'form' | 'value' | undefined {
  if (!KEY.test(typed.trim())) return 'form';
  const value = BigInt(`0x${digitsOf(typed)}`);
  return value > 0n && value < ORDER ? undefined : 'value';
}

function digitsOf(typed: string): string {
  return typed.trim().replace(/^0x/i, '');
}

export async function openOperatorKey(typed: string): Promise<OperatorKey> {
  const { clientOf, keyWallet } = await loadSigning();
  const wallet = keyWallet(`0x${digitsOf(typed)}`);
  const key = { address: wallet.address, client: clientOf(wallet) };
  putOperatorKeyAway();
  store.setState({ key });
  return key;
}

export function putOperatorKeyAway(): void {
  store.getState().key?.client.close();
  store.setState({ key: undefined });
}
