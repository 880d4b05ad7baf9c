import type { VenueClock } from '@oddlot/host/clock';
import type { ReadinessCheck } from '@oddlot/host/health';
import type { Logger } from '@oddlot/host/log';
import { refusal } from '@oddlot/protocol';
import type { Restriction } from '@oddlot/api/admission-guard';

/** How far the wall clock and the time of the venue may lie apart (R-clock). */
const TOLD_MS = 2_000;
const READY_MS = 5_000;
const RISK_MS = 30_000;

const EVERY_MS = 1_000;
/** As long as the clocks lie apart, it is said again this often. */
const AGAIN_MS = 60_000;

/** `off` is told, `far` is not ready, `lost` takes no new risk until the distance is gone. */
type ClockState = 'right' | 'off' | 'far' | 'lost';

/** Knows how far the clocks lie apart, tells it, and says what the venue may do meanwhile. */
export class ClockWatch {
  readonly #clock: Pick<VenueClock, 'distanceMs' | 'startAfter'>;
  readonly #wall: Distance;
  /** From the clocks of the other replicas, where there are some. */
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

  /** Starts the clock behind the last entry of the log, and looks at it every second. */
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

  /** Reads the clocks: nobody has to wait for the timer. */
  look(): { readonly state: ClockState; readonly distanceMs: number } {
    const [wall, others] = [this.#wall.look(), this.#others?.look()];
    if (others === undefined) return wall;
    return STATES.indexOf(others.state) > STATES.indexOf(wall.state) ? others : wall;
  }

  /** The other replicas go by another time: what this one would do, they can. */
  get isOutOfStep(): boolean {
    return this.#others?.look().state === 'lost';
  }

  /** What a clock that is off keeps from /exchange. */
  restriction(): Restriction | undefined {
    const { distanceMs, state } = this.look();
    if (state !== 'lost') return undefined;
    const error = refusal('clockOff', [Math.abs(distanceMs)]);
    // Every block of this replica would carry its time into the log, a cancel's too.
    return { stops: this.isOutOfStep ? 'all' : 'risk', error };
  }

  /** The venue's time is near enough to that of those who send prices and nonces. */
  check(): ReadinessCheck {
    const { distanceMs, state } = this.look();
    const why = `the clock is off by ${Math.abs(distanceMs)} ms`;
    return { name: 'clock', ok: state === 'right' || state === 'off', why };
  }
}

type Texts = Readonly<Record<ClockState, string>>;

/** How far a clock lies from another, as it was told last. */
class Distance {
  readonly #read: () => number;
  readonly #texts: Texts;
  readonly #log: Pick<Logger, 'info' | 'warn'>;
  #state: ClockState = 'right';
  #looksUntold = 0;

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
    this.#looksUntold += 1;
    if (this.#state === 'right' || this.#looksUntold * EVERY_MS < AGAIN_MS) return;
    this.#tell(this.#read());
  }

  #tell(distanceMs: number): void {
    this.#looksUntold = 0;
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

/** Once the clock was lost, less of a distance is not enough: it has to be gone. */
function stateOf(apartMs: number, wasLost: boolean): ClockState {
  if (apartMs <= TOLD_MS) return 'right';
  if (apartMs > RISK_MS || wasLost) return 'lost';
  return apartMs > READY_MS ? 'far' : 'off';
}
