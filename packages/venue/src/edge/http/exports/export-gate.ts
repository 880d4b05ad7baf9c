/** How many exports run at a time. One reads as long as its client does, so they are counted. */

type ExportLimits = {
  readonly perClientMax: number;
  /** Of all clients together. */
  readonly totalMax: number;
};

export const EXPORT_LIMITS: ExportLimits = { perClientMax: 1, totalMax: 32 };

export class ExportGate {
  readonly #limits: ExportLimits;
  readonly #running = new Map<string, number>();
  #total = 0;

  constructor(limits: ExportLimits = EXPORT_LIMITS) {
    this.#limits = limits;
  }

  get total(): number {
    return this.#total;
  }

  /** Lets a client in, and says how it leaves; or whose limit is reached. */
  enter(client: string): (() => void) | 'client' | 'all' {
    const own = this.#running.get(client) ?? 0;
    if (own >= this.#limits.perClientMax) return 'client';
    if (this.#total >= this.#limits.totalMax) return 'all';
    this.#running.set(client, own + 1);
    this.#total += 1;
    let hasLeft = false;
    return () => {
      if (hasLeft) return;
      hasLeft = true;
      this.#total -= 1;
      const left = (this.#running.get(client) ?? 1) - 1;
      if (left === 0) this.#running.delete(client);
      else this.#running.set(client, left);
    };
  }
}
