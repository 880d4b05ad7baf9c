import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { oddlot, oddlotPrediction } from '../../../packages/ccxt/src/index.ts';
import type { Json } from '../../support/client.ts';

/** Files with static cases in ccxt's format. Each exchange class has one file of each kind. */
const FOLDER = join(import.meta.dirname, 'static');

export const CLASSES = { oddlot, oddlotPrediction } as const;

export type ClassName = keyof typeof CLASSES;

/** A request case: the method, its parameters, and the last request that the method sends. */
export type RequestCase = {
  readonly description: string;
  readonly method: string;
  readonly url: string;
  readonly input: readonly Json[];
  /** The body of the request as JSON text. */
  readonly output: string;
};

/** A response case: the venue's response, and the method's result. */
export type ResponseCase = {
  readonly description: string;
  readonly method: string;
  readonly input: readonly Json[];
  readonly httpResponse: Json;
  readonly parsedResponse: Json;
};

type CaseFile<Case> = {
  readonly exchange: string;
  readonly skipKeys: readonly string[];
  readonly outputType?: 'json';
  readonly methods: Readonly<Record<string, readonly Case[]>>;
};

export function readCases<Case>(kind: 'request' | 'response', name: ClassName): CaseFile<Case> {
  return JSON.parse(readFileSync(join(FOLDER, kind, `${name}.json`), 'utf8')) as CaseFile<Case>;
}

/** The account key used in the cases. It is public, so its account must not hold funds. */
export const STATIC_KEY = `0x${'11'.repeat(32)}`;
export const STATIC_URL = 'https://venue.example';

/** Creates an exchange that has the cases' markets and does not send its requests. */
export function offlineExchange(name: ClassName): Json {
  const exchange: Json = new CLASSES[name]({
    url: STATIC_URL,
    network: 'testnet',
    privateKey: STATIC_KEY,
    walletAddress: '0x19e7e376e7c213b7e7e7e46cc70a5dd086daff2a',
    enableRateLimit: false,
    options: { retriesMax: 0, orderLifeMs: Infinity },
  });
  const path = join(FOLDER, 'markets', `${name}.json`);
  exchange.setMarkets(Object.values(JSON.parse(readFileSync(path, 'utf8'))));
  return exchange;
}

/** Returns the last request of a call. */
export async function requestOf(
  exchange: Json,
  { input, method }: Pick<RequestCase, 'input' | 'method'>,
): Promise<{ url: string; body: Json }> {
  exchange.fetch = () => Promise.reject(new Error('not sent'));
  await exchange[method](...input).catch(() => undefined);
  return { url: exchange.last_request_url, body: JSON.parse(exchange.last_request_body) };
}

/** Returns the result of a call that receives the given response from the venue. */
export async function resultOf(
  exchange: Json,
  { httpResponse, input, method }: Omit<ResponseCase, 'description' | 'parsedResponse'>,
): Promise<Json> {
  const answer = JSON.stringify(httpResponse);
  exchange.fetch = async (url: string, verb: string, headers: object, body: string) =>
    exchange.handleRestResponse(new Response(answer), url, verb, headers, body);
  const result = await exchange[method](...input);
  // JSON files cannot have undefined fields.
  return JSON.parse(JSON.stringify(result));
}

/** Removes, at any depth, the fields that differ between two signatures. */
export function without(value: Json, keys: readonly string[]): Json {
  if (Array.isArray(value)) return value.map((each) => without(each, keys));
  if (value === null || typeof value !== 'object') return value;
  const kept = Object.entries(value).filter(([key]) => !keys.includes(key));
  return Object.fromEntries(kept.map(([key, each]) => [key, without(each, keys)]));
}
