import { GREEDY_FACTOR } from '@oddlot/host/ports';

/** Somebody who follows streams, on one connection. */
export type Follower = {
  readonly client: string;
  readonly subscriptions: number;
};

/**
 * Whose connection makes room when there are as many streams as there may be: of the client that follows most on all
 * of its connections, the one that follows most. Nobody's, when who asks would have no small part of that: a few that
 * follow all they can would else keep everybody else from following anything.
 */
export function largestFollower<F extends Follower>(
  followers: Iterable<F>,
  asking: string,
): F | undefined {
  const totals = new Map<string, number>();
  const largest = new Map<string, F>();
  for (const each of followers) {
    const { client, subscriptions } = each;
    totals.set(client, (totals.get(client) ?? 0) + subscriptions);
    if (subscriptions > (largest.get(client)?.subscriptions ?? 0)) largest.set(client, each);
  }
  // As with bodies, for a small part of what that one has: else they have each other cut for ever.
  let [most, count] = [asking, GREEDY_FACTOR * ((totals.get(asking) ?? 0) + 1)];
  for (const [client, total] of totals) if (total > count) [most, count] = [client, total];
  return most === asking ? undefined : largest.get(most);
}
