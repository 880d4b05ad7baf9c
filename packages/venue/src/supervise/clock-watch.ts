import type { VenueClock } from '@oddlot/host/clock';
import type { ReadinessCheck } from '@oddlot/host/health';
import type { Logger } from '@oddlot/host/log';
import { refusal } from '@oddlot/protocol';
import type { Restriction } from '@oddlot/api/admission-guard';

/** Bounds for the difference between the wall clock and the venue's time (R-clock). */
const REPORTED_MS = 2_000;
const READY_MS = 5_000;
const RISK_MS = 30_000;

const EVERY_MS = 1_000;
/** While the clocks differ, the warning is repeated at this interval. */
const AGAIN_MS = 60_000;

/**
 * In state `off`, the difference is logged; in state `far`, the venue is not ready either; in state
 * `lost`, it rejects new risk until the difference is gone.
 */
type ClockState = 'right' | 'off' | 'far' | 'lost';

/**
 * Measures the difference between the clocks, logs it, and restricts the venue while it is large.
 */
export class ClockWatch {
  readonly #clock: Pick<VenueClock, 'distanceMs' | 'startAfter'>;
  readonly #wall: Distance;
  /** The difference from the other replicas' clocks, if there are other replicas. */
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

  /** Reads the clocks immediately, independently of the timer. */
  look(): { readonly state: ClockState; readonly distanceMs: number } {
    const [wall, others] = [this.#wall.look(), this.#others?.look()];
    if (others === undefined) return wall;
    return STATES.indexOf(others.state) > STATES.indexOf(wall.state) ? others : wall;
  }

  /**
   * True if this replica's time differs too much from that of the other replicas, which can take
   * over its tasks.
   */
  get isOutOfStep(): boolean {
    return this.#others?.look().state === 'lost';
  }

  /** Returns the restriction of /exchange while the clock difference is too large. */
  restriction(): Restriction | undefined {
    const { distanceMs, state } = this.look();
    if (state !== 'lost') return undefined;
    const error = refusal('clockOff', [Math.abs(distanceMs)]);
    // Every block this replica proposes would write its wrong time into the log, even a block that
    // only cancels an order.
    return { stops: this.isOutOfStep ? 'all' : 'risk', error };
  }

  /** Returns ready if the venue's clock is close enough to the clocks behind prices and nonces. */
  check(): ReadinessCheck {
    const { distanceMs, state } = this.look();
    const why = `the clock is off by ${Math.abs(distanceMs)} ms`;
    return { name: 'clock', ok: state === 'right' || state === 'off', why };
  }
}

type Texts = Readonly<Record<ClockState, string>>;

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
      this.#report(distanceMs);
    }
    return { state, distanceMs };
  }

  remind(): void {
    this.#unreportedChecks += 1;
    if (this.#state === 'right' || this.#unreportedChecks * EVERY_MS < AGAIN_MS) return;
    this.#report(this.#read());
  }

  #report(distanceMs: number): void {
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

/** Once the state is `lost`, it remains so until the difference is below the smallest bound. */
function stateOf(apartMs: number, wasLost: boolean): ClockState {
  if (apartMs <= REPORTED_MS) return 'right';
  if (apartMs > RISK_MS || wasLost) return 'lost';
  return apartMs > READY_MS ? 'far' : 'off';
}
