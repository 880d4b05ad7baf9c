import type { VenueClock } from '@oddlot/host/clock';
import type { ReadinessCheck } from '@oddlot/host/health';
import type { Logger } from '@oddlot/host/log';
import { refusal } from '@oddlot/protocol';
import type { Restriction } from '@oddlot/api/admission-guard';

/** Bounds of the difference between the wall clock and the time of the venue (R-clock). */
const TOLD_MS = 2_000;
const READY_MS = 5_000;
const RISK_MS = 30_000;

const EVERY_MS = 1_000;
/** While the clocks differ, the warning is repeated at this interval. */
const AGAIN_MS = 60_000;

/** `off` is reported, `far` is not ready, `lost` rejects new risk until the difference is gone. */
type ClockState = 'right' | 'off' | 'far' | 'lost';

/** Measures the difference between the clocks, reports it, and restricts the venue meanwhile. */
export class ClockWatch {
  readonly #clock: Pick<VenueClock, 'distanceMs' | 'startAfter'>;
  readonly #wall: Distance;
  /** The difference from the clocks of the other replicas, if there are any. */
  readonly #others: Distance | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    clock: Pick<VenueClock, 'distanceMs' | 'startAfter'>,
    log: Pick<Logger, 'info' | 'warn'>,
    apartMs?: () => number,
  ) {
    this.#clock = clock;
    this.#wall = new Distance(() => clock.distanceMs(), WALL_TEXTS, log);
    if (apartMs !== undefined) this.#others = new Distance(apartMs, OTHERS_TEXTS, log);
  }

  /** Starts the clock after the last entry of the log, and checks it every second. */
  start(...after: Parameters<VenueClock['startAfter']>): void {
    this.#clock.startAfter(...after);
    this.look();
    this.#timer = setInterval(() => {
      this.look();
      this.#wall.remind();
      this.#others?.remind();
    }, EVERY_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Reads the clocks now, independent of the timer. */
  look(): { readonly state: ClockState; readonly distanceMs: number } {
    const [wall, others] = [this.#wall.look(), this.#others?.look()];
    if (others === undefined) return wall;
    return STATES.indexOf(others.state) > STATES.indexOf(wall.state) ? others : wall;
  }

  /** The time of this replica differs from that of the others, which can take over its tasks. */
  get isOutOfStep(): boolean {
    return this.#others?.look().state === 'lost';
  }

  /** The restriction of /exchange while the clock is off. */
  restriction(): Restriction | undefined {
    const { distanceMs, state } = this.look();
    if (state !== 'lost') return undefined;
    const error = refusal('clockOff', [Math.abs(distanceMs)]);
    // Every block of this replica would carry its time into the log, even that of a cancel.
    return { stops: this.isOutOfStep ? 'all' : 'risk', error };
  }

  /** Ready if the venue's time is close to that of the senders of prices and nonces. */
  check(): ReadinessCheck {
    const { distanceMs, state } = this.look();
    const why = `the clock is off by ${Math.abs(distanceMs)} ms`;
    return { name: 'clock', ok: state === 'right' || state === 'off', why };
  }
}

type Texts = Readonly<Record<ClockState, string>>;

/** The difference of a clock from another, with its last reported state. */
class Distance {
  readonly #read: () => number;
  readonly #texts: Texts;
  readonly #log: Pick<Logger, 'info' | 'warn'>;
  #state: ClockState = 'right';
  #unreportedChecks = 0;

  constructor(read: () => number, texts: Texts, log: Pick<Logger, 'info' | 'warn'>) {
    this.#read = read;
    this.#texts = texts;
    this.#log = log;
  }

  look(): { readonly state: ClockState; readonly distanceMs: number } {
    const distanceMs = this.#read();
    const state = stateOf(Math.abs(distanceMs), this.#state === 'lost');
    if (state !== this.#state) {
      this.#state = state;
      this.#tell(distanceMs);
    }
    return { state, distanceMs };
  }

  remind(): void {
    this.#unreportedChecks += 1;
    if (this.#state === 'right' || this.#unreportedChecks * EVERY_MS < AGAIN_MS) return;
    this.#tell(this.#read());
  }

  #tell(distanceMs: number): void {
    this.#unreportedChecks = 0;
    const text = this.#texts[this.#state];
    if (this.#state === 'right') this.#log.info({ distanceMs }, text);
    else this.#log.warn({ distanceMs }, text);
  }
}

const STATES: readonly ClockState[] = ['right', 'off', 'far', 'lost'];

const WALL_TEXTS: Texts = {
  right: 'clock agrees with the venue time again',
  off: 'clock deviates from the venue time',
  far: 'clock deviates from the venue time: not ready',
  lost:
    'clock deviates too far from the venue time: accepting only cancels, reducing orders and ' +
    'operator actions',
};

const OTHERS_TEXTS: Texts = {
  right: 'clock agrees with the other replicas again',
  off: 'clock deviates from the other replicas',
  far: 'clock deviates from the other replicas: not ready',
  lost: 'clock deviates too far from the other replicas: this replica rejects all requests',
};

/** Once the clock was lost, the difference must vanish completely; a smaller one is not enough. */
function stateOf(apartMs: number, wasLost: boolean): ClockState {
  if (apartMs <= TOLD_MS) return 'right';
  if (apartMs > RISK_MS || wasLost) return 'lost';
  return apartMs > READY_MS ? 'far' : 'off';
}
