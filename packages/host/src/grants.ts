/** Who got something within an interval. Old entries go as new ones come: they stand in order. */
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

/** Somebody got it lately, as another place knows: again at this time. */
export class GrantedLatelyError extends Error {
  override readonly name = 'GrantedLatelyError';
  readonly nextMs: number;

  constructor(nextMs: number) {
    super(`already granted; try again at ${nextMs}`);
    this.nextMs = nextMs;
  }
}
