import type { Connection } from './connection.ts';
import { closeBody } from './frame.ts';
import type { Past, PastFrame, Stream } from './stream.ts';

/** A subscription that is receiving missed frames. */
type Replay = {
  readonly stream: Stream;
  readonly sub: number;
  /** The number of the last frame that the client has received. */
  seq: number;
  /**
   * The missed frames that the stream no longer keeps. They are sent before those it still keeps.
   */
  past?: PastReplay | undefined;
  /** Called if missed frames are dropped before the client has received them. */
  readonly resync: () => void;
};

/**
 * Missed frames that the stream no longer keeps: how many remain, and those that have already been
 * read.
 */
type PastReplay = {
  readonly past: Past;
  left: number;
  read?: readonly PastFrame[] | 'failed' | undefined;
};

/**
 * A connection is closed if its client reads nothing for this many milliseconds during a replay.
 */
export const STALLED_MS = 30_000;
/** The approximate number of bytes sent to one client per turn of the event loop. */
const TURN_BYTES = 256 * 1024;

/**
 * Sends missed frames at the reading speed of the client, one stream after another. After the last
 * missed frame, the client becomes a subscriber, so that live frames follow without a gap.
 */
export class Replays {
  readonly #connection: Connection;
  #queue: Replay[] = [];
  #isWaiting = false;
  #cancelStall: (() => void) | undefined;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Starts to send the frames after `seq`. `past` holds those that the stream no longer keeps. */
  add({ past, ...replay }: Omit<Replay, 'past'> & { readonly past?: Past | undefined }): void {
    replay.stream.expect(this.#connection);
    const before = past === undefined || past.count === 0 ? undefined : { past, left: past.count };
    this.#queue.push({ ...replay, past: before });
    if (!this.#isWaiting) this.#work();
  }

  drop(stream: Stream): void {
    this.#queue = this.#queue.filter((replay) => replay.stream !== stream);
  }

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
      if (!this.#connection.canWrite) {
        this.#wait();
        return;
      }
      if (sent > TURN_BYTES) {
        // Other work runs before the replay continues.
        this.#isWaiting = true;
        setImmediate(() => this.#work());
        return;
      }
      const bytes = replay.past === undefined ? this.#advance(replay) : this.#sendPast(replay);
      if (bytes === 'waits') return;
      sent += bytes;
    }
  }

  /**
   * Sends some of the frames that the stream no longer keeps. Returns the number of bytes sent, or
   * `waits` if the frames must be read first.
   */
  #sendPast(replay: Replay): number | 'waits' {
    const { past: before, stream, sub } = replay;
    if (before === undefined) return 0;
    const frames = before.read ?? before.past.next();
    if (frames instanceof Promise) {
      this.#isWaiting = true;
      const goOn = (read: PastReplay['read']): void => {
        before.read = read;
        if (this.#isWaiting) this.#work();
      };
      frames.then(goOn, () => goOn('failed'));
      return 'waits';
    }
    before.read = undefined;
    // Fewer frames remain than were counted, because some have expired in the meantime.
    if (frames === 'failed' || frames.length === 0) {
      this.#lose(replay);
      return 0;
    }
    let bytes = 0;
    for (const frame of frames) {
      replay.seq += 1;
      const whole = stream.pastFrame(frame, { seq: replay.seq, sub });
      this.#connection.sendMissed(whole);
      bytes += whole.length;
    }
    before.left -= frames.length;
    if (before.left === 0) replay.past = undefined;
    this.#connection.flush();
    return bytes;
  }

  /** Ends a replay whose frames are no longer available, and resyncs the client. */
  #lose({ resync, stream, sub }: Replay): void {
    this.#queue.shift();
    stream.add(this.#connection, sub);
    resync();
  }

  /**
   * Sends some frames, or ends the replay if there are no more. Returns the number of bytes sent.
   */
  #advance(replay: Replay): number {
    const { stream, sub } = replay;
    const bodies = stream.after(replay.seq);
    if (bodies === 'tooOld') {
      this.#lose(replay);
      return 0;
    }
    if (bodies.length === 0) {
      this.#queue.shift();
      stream.add(this.#connection, sub);
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
