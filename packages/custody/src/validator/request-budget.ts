/** What one who asks may ask for in a second; cancellations have the chain looked at. */
const IN_SECOND_MAX = { payout: 200, cancellation: 10, other: 50 } as const;
const WINDOW_MS = 1_000;

export type Asked = keyof typeof IN_SECOND_MAX;

/** How much each address asks, so that one who asks for nothing useful does not keep others from it. */
export class RequestBudget {
  readonly #now: () => number;
  readonly #counts = new Map<string, number>();
  #window = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** False when it was too much. */
  take(client: string, asked: Asked): boolean {
    const window = Math.floor(this.#now() / WINDOW_MS);
    if (window !== this.#window) this.#counts.clear();
    this.#window = window;
    const name = `${asked} ${client}`;
    const count = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, count);
    return count <= IN_SECOND_MAX[asked];
  }
}
