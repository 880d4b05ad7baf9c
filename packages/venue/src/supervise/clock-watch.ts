import type { VenueClock } from '@oddlot/host/clock';
import type { ReadinessCheck } from '@oddlot/host/health';
import type { Logger } from '@oddlot/host/log';
import { refusal } from '@oddlot/protocol';
import type { Restriction } from '../edge/admission-guard.ts';

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
  readonly #log: Pick<Logger, 'info' | 'warn'>;
  #timer: NodeJS.Timeout | undefined;
  #state: ClockState = 'right';
  #looksUntold = 0;

  constructor(
    clock: Pick<VenueClock, 'distanceMs' | 'startAfter'>,
    log: Pick<Logger, 'info' | 'warn'>,
  ) {
    this.#clock = clock;
    this.#log = log;
  }

  /** Starts the clock behind the last entry of the log, and looks at it every second. */
  start(...after: Parameters<VenueClock['startAfter']>): void {
    this.#clock.startAfter(...after);
    this.look();
    this.#timer = setInterval(() => {
      this.look();
      this.#remind();
    }, EVERY_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Reads the clocks: nobody has to wait for the timer. */
  look(): { readonly state: ClockState; readonly distanceMs: number } {
    const distanceMs = this.#clock.distanceMs();
    this.#become(stateOf(Math.abs(distanceMs), this.#state === 'lost'), distanceMs);
    return { state: this.#state, distanceMs };
  }

  /** What a clock that is off keeps from /exchange. */
  restriction(): Restriction | undefined {
    const { distanceMs, state } = this.look();
    if (state !== 'lost') return undefined;
    return { stops: 'risk', error: refusal('clockOff', [Math.abs(distanceMs)]) };
  }

  /** The venue's time is near enough to that of those who send prices and nonces. */
  check(): ReadinessCheck {
    const { distanceMs, state } = this.look();
    const why = `the clock is off by ${Math.abs(distanceMs)} ms`;
    return { name: 'clock', ok: state === 'right' || state === 'off', why };
  }

  #become(state: ClockState, distanceMs: number): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#tell(distanceMs);
  }

  #remind(): void {
    this.#looksUntold += 1;
    if (this.#state === 'right' || this.#looksUntold * EVERY_MS < AGAIN_MS) return;
    this.#tell(this.#clock.distanceMs());
  }

  #tell(distanceMs: number): void {
    const log = this.#log;
    this.#looksUntold = 0;
    if (this.#state === 'right') log.info({ distanceMs }, 'the clock is right again');
    else log.warn({ distanceMs }, TEXTS[this.#state]);
  }
}

const TEXTS: Readonly<Record<Exclude<ClockState, 'right'>, string>> = {
  off: 'the wall clock and the time of the venue lie apart',
  far: 'the wall clock and the time of the venue lie apart: not ready',
  lost: 'the wall clock and the time of the venue lie far apart: no new risk is taken',
};

/** Once the clock was lost, less of a distance is not enough: it has to be gone. */
function stateOf(apartMs: number, wasLost: boolean): ClockState {
  if (apartMs <= TOLD_MS) return 'right';
  if (apartMs > RISK_MS || wasLost) return 'lost';
  return apartMs > READY_MS ? 'far' : 'off';
}
