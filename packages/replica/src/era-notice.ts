import type { AppliedBlock, Projection } from './block.ts';

/**
 * The rules that an operator has announced in the log, until their era is open (R-era). Snapshots hold it: a replica
 * that starts again behind the announcement must not take orders again.
 */
export class EraNotice implements Projection {
  readonly name = 'era-notice';
  readonly version = 1;
  #rules = 0;

  /** 0 where none are. */
  get rules(): number {
    return this.#rules;
  }

  onBlock({ commands }: AppliedBlock): void {
    for (const { command } of commands) {
      if (command.type === 'announceEra') this.#rules = command.rules;
      else if (command.type === 'openEra') this.#rules = 0;
    }
  }

  dump(): unknown {
    return this.#rules === 0 ? undefined : this.#rules;
  }

  restore(data: unknown): void {
    this.#rules = data as number;
  }

  reset(): void {
    this.#rules = 0;
  }
}
