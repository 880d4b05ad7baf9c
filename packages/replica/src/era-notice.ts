import type { AppliedBlock, Projection } from './block.ts';

/**
 * The rules version announced by an operator in the log, until its era opens (R-era). Snapshots
 * include it, because a replica that restarts after the announcement must not accept orders.
 */
export class EraNotice implements Projection {
  readonly name = 'era-notice';
  readonly version = 1;
  #rules = 0;

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
