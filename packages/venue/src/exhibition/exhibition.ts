import type { Command } from '@oddlot/engine';
import type { Clock } from '@oddlot/host/clock';
import type { Logger } from '@oddlot/host/log';
import type { Replica } from '../replica/replica.ts';
import { exhibitionCommands, type ExhibitionOptions } from './exhibition-commands.ts';

type ExhibitionParts = Omit<ExhibitionOptions, 'nowMs'> & {
  readonly replica: Replica;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'debug' | 'warn'>;
  readonly onError: (error: unknown) => void;
};

const EVERY_MS = 1_000;

/** Keeps events on a venue that nobody else runs events on, by commands of the process itself. */
export class Exhibition {
  readonly #parts: ExhibitionParts;
  /** What the venue refused is not tried again. */
  readonly #refused = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> | undefined;

  constructor(parts: ExhibitionParts) {
    this.#parts = parts;
  }

  /** Resolves when the first events are listed. */
  async start(): Promise<void> {
    await this.look().catch(this.#parts.onError);
    this.#timer = setInterval(() => {
      this.#round ??= this.look()
        .catch(this.#parts.onError)
        .finally(() => (this.#round = undefined));
    }, EVERY_MS);
  }

  /** Resolves when nothing of it is under way any more. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#round;
  }

  /** Does what is due, in one block. */
  async look(): Promise<void> {
    const { clock, replica } = this.#parts;
    const nowMs = Math.max(clock.nowMs(), replica.state.timeMs);
    const commands = exhibitionCommands(replica.state, { ...this.#parts, nowMs }).filter(
      (command) => !this.#refused.has(keyOf(command)),
    );
    await Promise.all(commands.map((command) => this.#propose(command)));
  }

  async #propose(command: Command): Promise<void> {
    const { log, replica } = this.#parts;
    const { outcome } = await replica.propose(command);
    const about = keyOf(command);
    if (outcome.reject === undefined) {
      log.debug({ about }, 'demo markets resumed');
      return;
    }
    this.#refused.add(about);
    log.warn({ about, reason: outcome.reject.reason }, 'demo market command rejected');
  }
}

/** What a command is about, whatever was drawn for it. */
function keyOf(command: Command): string {
  switch (command.type) {
    case 'registerEvent':
      return `event ${command.event.slug}`;
    case 'registerMarket':
      return `market ${command.market.slug}`;
    case 'registerSeries':
      return `series ${command.series.slug}`;
    case 'resolveMarket':
      return `result of ${command.instrumentId}`;
    default:
      return command.type;
  }
}
