import type { Hex } from 'viem';
import { signBody, SignAnswer, SignRefusal } from './validator-wire.ts';
import type { BridgeDomain, Signed, Validator } from './validators.ts';

const TIMEOUT_MS = 15_000;

/** A validator that is a process of its own, see `validator/`. Who asks looks at what it signed. */
export function remoteValidator(
  url: string,
  domain: BridgeDomain,
  { timeoutMs = TIMEOUT_MS }: { readonly timeoutMs?: number } = {},
): Validator {
  return {
    name: new URL(url).host,
    sign: (request, signal) =>
      ask(
        url,
        signBody(domain, request),
        AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      ),
  };
}

async function ask(url: string, body: object, signal: AbortSignal): Promise<Signed> {
  let status: number;
  let answer: unknown;
  try {
    const response = await fetch(new URL('sign', url.endsWith('/') ? url : `${url}/`), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      redirect: 'error',
      signal,
    });
    ({ status } = response);
    answer = await response.json();
  } catch (cause) {
    throw new Error(`cannot be asked: ${faultOf(cause)}`, { cause });
  }
  if (status !== 200) {
    const refusal = SignRefusal.safeParse(answer);
    throw new Error(refusal.success ? refusal.data.message : `HTTP ${status}`);
  }
  const parsed = SignAnswer.safeParse(answer);
  if (!parsed.success) throw new Error('its answer cannot be read');
  const { r, s, v, validator } = parsed.data;
  return { address: validator as string as Hex, signature: { r, s, v } };
}

function faultOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return 'it did not answer in time';
  return error.cause instanceof Error ? error.cause.message || error.message : error.message;
}
