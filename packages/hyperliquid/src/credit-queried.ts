import { Address } from '@oddlot/protocol';
import type { VenueAccess } from './venue-access.ts';

/** The queries for an account's balance, which bots send before they trade. */
const BALANCE_QUERIES: ReadonlySet<unknown> = new Set([
  'clearinghouseState',
  'spotClearinghouseState',
  'webData2',
]);
/** The maximum number of accounts that a port credits, because each one uses the venue's memory. */
const CREDITS_MAX = 1_000;

type Query = Readonly<Record<string, unknown>>;

/**
 * Returns a function that credits test funds to a new account when its balance is queried, so that
 * a bot with a new key can trade. Only queried addresses are credited, because the signer recovered
 * from a signature for another network is a different address.
 */
export function createQueryCredits(venue: VenueAccess): (query: Query) => Promise<void> {
  const credits = new Map<string, Promise<unknown>>();
  return async ({ type, user }) => {
    if (!BALANCE_QUERIES.has(type) || venue.requestFunds === undefined) return;
    const account = Address.safeParse(user).data;
    if (account === undefined || venue.hasAccount(account)) return;
    if (!credits.has(account) && credits.size >= CREDITS_MAX) return;
    // A refused grant is not retried; the query then reports the account without it.
    const credit = credits.get(account) ?? venue.requestFunds(account);
    credits.set(account, credit);
    await credit;
  };
}
