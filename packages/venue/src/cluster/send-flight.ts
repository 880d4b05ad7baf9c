import { setTimeout as later } from 'node:timers/promises';
import type { BlockStream } from './block-stream.ts';
import type { Flight } from './flight.ts';

type Sending = {
  readonly stream: Pick<BlockStream, 'publish'>;
  /** The part of the stream that has been read so far, for the header of the block. */
  readonly told: () => string | undefined;
  /** False once the block was read, was refused, or is sent by another attempt. */
  readonly isAwaited: () => boolean;
  readonly onConfirmed: () => void;
};

const AGAIN_AFTER_MS = 200;
/** The first tries of a block wait less long for the servers: about as many as an election takes. */
const QUICK_TRIES = 8;
const QUICK_TRY_MS = 1_000;
/** So long a block that was confirmed is waited for. */
const UNREAD_MS = 5_000;

/**
 * Sends a block until a server confirms it, and waits for it to be read. True where it does not come and must be sent under
 * another id: a server confirms a message whose id it knows, even one that was lost with an earlier leader. A block that comes
 * twice counts once.
 */
export async function sendFlight(flight: Flight, sending: Sending): Promise<boolean> {
  const { isAwaited, onConfirmed, stream, told } = sending;
  const { attempt, data, proposal } = flight;
  for (let tries = 0; isAwaited(); tries += 1) {
    try {
      // A message sent during an election is lost. A short timeout reaches the next leader soon.
      const patience = tries < QUICK_TRIES ? { timeoutMs: QUICK_TRY_MS } : {};
      await stream.publish(`${proposal}:${attempt}`, { data, told: told(), ...patience });
      onConfirmed();
      await later(UNREAD_MS, undefined, { ref: false });
      // One that is early goes when its turn comes.
      return isAwaited() && !flight.isEarly;
    } catch {
      // It may be stored or not: the same id is sent again, for as long as it takes.
      await later(AGAIN_AFTER_MS);
    }
  }
  return false;
}
