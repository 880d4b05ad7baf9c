/** The only reader of the system clock. Everything else is handed one. */
export type Clock = { nowMs(): number };

export const systemClock: Clock = { nowMs: () => Date.now() };
