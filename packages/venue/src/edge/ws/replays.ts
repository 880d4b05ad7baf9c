import type { Connection } from './connection.ts';
import { closeBody } from './frame.ts';
import type { Stream } from './stream.ts';

/** A subscription that is being brought up to date. */
type Replay = {
  readonly stream: Stream;
  readonly sub: number;
  /** The last frame that the client has. */
  seq: number;
  /** The client fell behind what is kept. */
  readonly resync: () => void;
};

/** How long a client may take none of what it asked for. */
export const STALLED_MS = 30_000;
/** What one turn of the event loop sends to one client at most, about. */
const TURN_BYTES = 256 * 1024;

/**
 * Sends a client what it missed, as fast as it reads, one stream after the other. A stream takes the
 * client up as a subscriber when it has all that came before, so that live frames follow without gap.
 */
export class Replays {
  readonly #connection: Connection;
  #queue: Replay[] = [];
  #isWaiting = false;
  #cancelStall: (() => void) | undefined;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  add(replay: Replay): void {
    replay.stream.expect(this.#connection);
    this.#queue.push(replay);
    if (!this.#isWaiting) this.#work();
  }

  /** The client does not want it any more. */
  drop(stream: Stream): void {
    this.#queue = this.#queue.filter((replay) => replay.stream !== stream);
  }

  /** The client is gone. */
  close(): void {
    this.#queue = [];
    this.#cancelStall?.();
  }

  #work(): void {
    this.#isWaiting = false;
    this.#cancelStall?.();
    let sent = 0;
    while (this.#connection.isOpen) {
      const [replay] = this.#queue;
      if (replay === undefined) return;
      if (!this.#connection.hasRoom) {
        this.#wait();
        return;
      }
      if (sent > TURN_BYTES) {
        // Others have their turn first.
        this.#isWaiting = true;
        setImmediate(() => this.#work());
        return;
      }
      sent += this.#advance(replay);
    }
  }

  /** Sends some frames, or ends the replay when there are none left; tells how many bytes it sent. */
  #advance(replay: Replay): number {
    const { stream, sub } = replay;
    const bodies = stream.after(replay.seq);
    if (bodies === 'tooOld' || bodies.length === 0) {
      this.#queue.shift();
      stream.add(this.#connection, sub);
      if (bodies === 'tooOld') replay.resync();
      return 0;
    }
    let bytes = 0;
    for (const body of bodies) {
      this.#connection.sendMissed(closeBody(body, sub));
      bytes += body.length;
    }
    replay.seq += bodies.length;
    this.#connection.flush();
    return bytes;
  }

  #wait(): void {
    this.#isWaiting = true;
    this.#connection.onceDrained(() => {
      if (this.#isWaiting) this.#work();
    });
    this.#watch(this.#connection.bytesTaken);
  }

  #watch(takenBefore: number): void {
    this.#cancelStall = this.#connection.timing.after(STALLED_MS, () => {
      const taken = this.#connection.bytesTaken;
      if (taken > takenBefore) this.#watch(taken);
      else this.#connection.closeSlow();
    });
  }
}
