import { setImmediate } from 'node:timers/promises';
import { traceId } from '@oddlot/protocol';
import type { ClientOptions } from '@oddlot/sdk';
import type { Hash } from '@oddlot/units';
import type { VenueInHand } from '../venue-in-hand.ts';

type Fetch = NonNullable<ClientOptions['fetch']>;

/**
 * R-delay: who asks for the result of an order that waits is answered when it was released, or after a while that it is pending. While a
 * bot has its turn time stands, so no while is long enough: it is told at once.
 */
export function answerQueued(fetch: Fetch, venue: VenueInHand): Fetch {
  return async (...request) => {
    const isConfirmed = String(request[1]?.body ?? '').includes('"confirm":"executed"');
    const fromId = venue.state.outcomes.queue.nextId;
    const answer = fetch(...request);
    if (!isConfirmed) return answer;
    const answered = answer.then(
      () => true,
      () => true,
    );
    while (!(await Promise.race([answered, setImmediate(false)]))) {
      const { queue } = venue.state.outcomes;
      const queued =
        queue.size === 0 ? undefined : queue.all().find((each) => each.queueId >= fromId);
      if (queued !== undefined) return pending(queued.txHash);
    }
    return answer;
  };
}

function pending(txHash: Hash): Response {
  return Response.json({ status: 'pending', txHash, traceId: traceId(txHash) }, { status: 202 });
}
