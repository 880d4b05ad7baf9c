import type { Command } from '@oddlot/engine';
import type { Clock } from '@oddlot/host/clock';
import type { Replica } from '../replica/replica.ts';

type PublisherOptions = {
  readonly replica: Replica;
  readonly clock: Clock;
  readonly everyMs: number;
  /** What there is to report now; undefined when there is nothing. */
  readonly report: (nowMs: number) => Command | undefined;
  readonly onError: (error: unknown) => void;
};

/** Reports prices as commands of the venue itself, one after the other. */
export class Publisher {
  readonly #options: PublisherOptions;
  #timer: NodeJS.Timeout | undefined;
  #isReporting = false;

  constructor(options: PublisherOptions) {
    this.#options = options;
  }

  /** Reports at once, then every interval; a first report that fails is not the last. */
  async start(): Promise<void> {
    await this.#report().catch(this.#options.onError);
    this.#timer = setInterval(() => {
      this.#report().catch(this.#options.onError);
    }, this.#options.everyMs);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #report(): Promise<void> {
    if (this.#isReporting) return;
    this.#isReporting = true;
    try {
      const { clock, replica, report } = this.#options;
      const command = report(clock.nowMs());
      if (command !== undefined) await replica.propose(command);
    } finally {
      this.#isReporting = false;
    }
  }
}
