/**
 * Remembers grants for a certain interval. Entries are in order of time, so expired ones can be
 * dropped whenever new ones are added.
 */
export class Grants {
  readonly #intervalMs: number;
  readonly #grantedMs = new Map<string, number>();

  constructor(intervalMs: number) {
    this.#intervalMs = intervalMs;
  }

  add(who: string, timeMs: number): void {
    this.#grantedMs.delete(who);
    this.#grantedMs.set(who, timeMs);
    for (const [oldest, grantedMs] of this.#grantedMs) {
      if (grantedMs + this.#intervalMs > timeMs) return;
      this.#grantedMs.delete(oldest);
    }
  }

  entries(nowMs: number): [string, number][] {
    return [...this.#grantedMs].filter(([, grantedMs]) => grantedMs + this.#intervalMs > nowMs);
  }

  clear(): void {
    this.#grantedMs.clear();
  }

  remove(who: string): void {
    this.#grantedMs.delete(who);
  }

  nextTime(who: string, nowMs: number): number | undefined {
    const grantedMs = this.#grantedMs.get(who);
    if (grantedMs === undefined || grantedMs + this.#intervalMs <= nowMs) return undefined;
    return grantedMs + this.#intervalMs;
  }
}

/**
 * Thrown if another process reports a recent grant. Gives the time at which the next grant is
 * possible.
 */
export class GrantedRecentlyError extends Error {
  override readonly name = 'GrantedRecentlyError';
  readonly nextMs: number;

  constructor(nextMs: number) {
    super(`already granted; try again at ${nextMs}`);
    this.nextMs = nextMs;
  }
}
