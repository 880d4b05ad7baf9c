import { describe, expect, test } from 'vitest';
import { RateLimiter } from './rate-limiter.ts';

const LIMITS = { info: 50, exchange: 10, explainSignature: 5, simulate: 10 };

function limiter(enabled = true) {
  const clock = { nowMs: 1_000_000 };
  return { clock, limiter: new RateLimiter({ limits: LIMITS, now: () => clock.nowMs, enabled }) };
}

describe('a rate limiter admits a limited number of requests per client', () => {
  test('a burst up to the limit is admitted; the next request has to wait for a token', () => {
    const { limiter: limits, clock } = limiter();
    for (let index = 0; index < 10; index++) {
      expect(limits.take('exchange', 'a')).toMatchObject({ allowed: true, remaining: 9 - index });
    }
    const refused = limits.take('exchange', 'a');
    expect(refused).toMatchObject({ allowed: false, remaining: 0, retryAfterSeconds: 1 });
    expect(refused.resetMs).toBe(1000);
    clock.nowMs += 99;
    expect(limits.take('exchange', 'a').allowed).toBe(false);
    clock.nowMs += 1;
    expect(limits.take('exchange', 'a').allowed).toBe(true);
    expect(limits.take('exchange', 'a').allowed).toBe(false);
  });

  test('each surface and each client has a separate rate limit', () => {
    const { limiter: limits } = limiter();
    for (let index = 0; index < 10; index++) limits.take('exchange', 'a');
    expect(limits.take('exchange', 'a').allowed).toBe(false);
    expect(limits.take('exchange', 'b').allowed).toBe(true);
    expect(limits.take('info', 'a')).toMatchObject({ allowed: true, limit: 50, remaining: 49 });
  });

  test('all addresses of one IPv6 network share a rate limit', () => {
    const { limiter: limits } = limiter();
    for (let index = 0; index < 10; index++) limits.take('exchange', `2001:db8:1:2::${index}`);
    expect(limits.take('exchange', '2001:db8:1:2:ffff::1').allowed).toBe(false);
    expect(limits.peek('exchange', '2001:db8:1:2::77').remaining).toBe(0);
    expect(limits.take('exchange', '2001:db8:1:3::1').allowed).toBe(true);
  });

  test('over ten seconds, a client gets at most the burst plus the refill', () => {
    const { limiter: limits, clock } = limiter();
    let passed = 0;
    for (let step = 0; step < 10_000; step++) {
      if (limits.take('info', 'a').allowed) passed++;
      clock.nowMs += 1;
    }
    expect(passed).toBeGreaterThanOrEqual(50 * 10);
    expect(passed).toBeLessThanOrEqual(50 * 11);
  });

  test('reading the remaining budget consumes no token', () => {
    const { limiter: limits, clock } = limiter();
    limits.take('info', 'a');
    expect(limits.peek('info', 'a')).toEqual({
      limit: 50,
      windowMs: 1000,
      remaining: 49,
      resetMs: 20,
    });
    expect(limits.peek('info', 'a').remaining).toBe(49);
    clock.nowMs += 20;
    expect(limits.peek('info', 'a')).toMatchObject({ remaining: 50, resetMs: 0 });
    expect(limits.peek('info', 'nobody').remaining).toBe(50);
  });

  test('the rate limiter forgets idle clients and keeps busy ones', () => {
    const { limiter: limits, clock } = limiter();
    for (let index = 0; index < 10; index++) limits.take('exchange', 'busy');
    for (let index = 0; index < 5000; index++) limits.take('info', `client ${index}`);
    clock.nowMs += 950;
    limits.take('exchange', 'busy');
    clock.nowMs += 60;
    expect(limits.take('exchange', 'busy').remaining).toBeLessThan(10);
    clock.nowMs += 1000;
    limits.take('info', 'x');
    clock.nowMs += 1000;
    limits.take('info', 'x');
    expect(limits.size).toBeLessThanOrEqual(2);
  });

  test('the rate limiter removes no tokens when the clock steps back', () => {
    const { limiter: limits, clock } = limiter();
    limits.take('exchange', 'a');
    clock.nowMs -= 5000;
    expect(limits.take('exchange', 'a').allowed).toBe(true);
  });

  test('a disabled rate limiter admits every request and reports a full budget', () => {
    const { limiter: limits } = limiter(false);
    for (let index = 0; index < 100; index++) limits.take('exchange', 'a');
    expect(limits.take('exchange', 'a')).toMatchObject({ allowed: true, remaining: 10 });
    expect(limits.size).toBe(0);
  });
});
