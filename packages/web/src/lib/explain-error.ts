import {
  ApiError,
  type Details,
  ExpiredError,
  HttpError,
  SigningError,
  ValidationError,
} from '@oddlot/sdk';
import { isDecimal } from './decimal.ts';
import { money, number } from './format.ts';
import type { Words } from './words.ts';

export type Remedy =
  | { readonly kind: 'useValue'; readonly field: string | undefined; readonly value: string }
  | { readonly kind: 'lowerTo'; readonly field: string | undefined; readonly value: string }
  | { readonly kind: 'addFunds'; readonly required: string; readonly available: string }
  | { readonly kind: 'retry'; readonly afterMs: number };

type Explained = {
  readonly sentence: string;
  readonly remedies: readonly Remedy[];
  readonly docs: string | undefined;
};

export type NameOf = (field: string) => string | undefined;

export function explainError(error: unknown, t: Words, nameOf?: NameOf): Explained {
  if (error instanceof NotArrivedError) {
    return sentenceOnly(t(error.mayStill ? 'error.notArrivedYet' : 'error.notArrived'));
  }
  if (error instanceof ExpiredError) return sentenceOnly(t('error.expired'));
  if (error instanceof ApiError) return explainApi(error, t, nameOf);
  if (error instanceof ValidationError) {
    return { ...sentenceOnly(error.message), remedies: remediesOf(error.details) };
  }
  if (error instanceof HttpError) {
    return sentenceOnly(
      error.txHash === undefined ? t('error.unreachable') : t('error.unknownFate'),
    );
  }
  if (error instanceof SigningError) return sentenceOnly(t('error.notSigned'));
  return sentenceOnly(error instanceof Error ? error.message : t('error.unexpected'));
}

export function explainRefusal(
  refusal: { readonly message: string; readonly details?: Details | undefined },
  t: Words,
  nameOf?: NameOf,
): Explained {
  const { details, message } = refusal;
  return {
    sentence: namedSentence(message, details, nameOf) ?? sentenceOf(message, details, t),
    remedies: remediesOf(details),
    docs: details?.docs,
  };
}

function explainApi(error: ApiError, t: Words, nameOf: NameOf | undefined): Explained {
  const { details, message, name, retryAfterMs } = error;
  if (name === 'RATE_LIMITED' || error.httpStatus === 429) {
    const afterMs = retryAfterMs ?? 1_000;
    const seconds = Math.ceil(afterMs / 1_000);
    return {
      ...sentenceOnly(t('error.rateLimited', { seconds })),
      remedies: [{ kind: 'retry', afterMs }],
    };
  }
  if (name === 'UNAVAILABLE') {
    return {
      ...sentenceOnly(t('error.unavailable', { message })),
      remedies: [{ kind: 'retry', afterMs: 1_000 }],
    };
  }
  if (name === 'GATED')
    return { ...sentenceOnly(t('error.gated', { reason: message })), docs: details?.docs };
  return explainRefusal({ message, details }, t, nameOf);
}

function namedSentence(
  message: string,
  details: Details | undefined,
  nameOf: NameOf | undefined,
): string | undefined {
  const { field, why } = details ?? {};
  if (field === undefined || why === undefined || !message.includes(why)) return undefined;
  const name = nameOf?.(field);
  return name === undefined ? undefined : ended(`${name} ${why}`);
}

function sentenceOf(message: string, details: Details | undefined, t: Words): string {
  const { available, required, why } = details ?? {};
  const tick = tickOf(details);
  if (tick !== undefined) return t('error.offTick', { tick: number(tick) });
  if (isDecimal(required) && isDecimal(available)) {
    const amounts = { required: money(required), available: money(available) };
    const unit = /\bshares\b/i.test(message) ? t('error.shares') : 'USDC';
    return t('error.short', { message: ended(message), ...amounts, unit });
  }
  // Some messages already contain the reason. Details with field names (`got`) are meant for
  // programs.
  const isNew = why !== undefined && !message.includes(why) && !why.includes('`');
  return isNew ? `${ended(message)} ${ended(why)}` : ended(message);
}

function tickOf(details: Details | undefined): string | undefined {
  const { allowed, field } = details ?? {};
  const isPrice = field?.endsWith('.p') === true || field?.endsWith('triggerPx') === true;
  if (!isPrice || allowed === undefined || !('step' in allowed)) return undefined;
  const step = String(allowed.step);
  return isDecimal(step) ? step : undefined;
}

function remediesOf(details: Details | undefined): readonly Remedy[] {
  const { available, field, nearest, required } = details ?? {};
  const remedies: Remedy[] = (nearest ?? []).flatMap((value) =>
    value === null ? [] : [{ kind: 'useValue' as const, field, value }],
  );
  const most = largestOrder(details);
  if (most !== undefined) remedies.push({ kind: 'lowerTo', field, value: most });
  if (isDecimal(required) && isDecimal(available)) {
    remedies.push({ kind: 'addFunds', required, available });
  }
  return remedies;
}

export function largestOrder(details: Details | undefined): string | undefined {
  const { allowed, field } = details ?? {};
  if (field?.endsWith('.s') !== true || allowed === undefined || !('max' in allowed))
    return undefined;
  const most = String(allowed.max);
  return isDecimal(most) ? most : undefined;
}

export function remedyLabel(remedy: Remedy, t: Words): string {
  switch (remedy.kind) {
    case 'useValue':
      return t('error.useValue', { value: number(remedy.value) });
    case 'lowerTo':
      return t('error.lowerTo', { value: number(remedy.value) });
    case 'addFunds':
      return t('error.addFunds');
    case 'retry':
      return t('error.retry');
  }
}

function sentenceOnly(sentence: string): Explained {
  return { sentence: ended(sentence), remedies: [], docs: undefined };
}

function ended(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

/** Thrown if the response was lost and the venue has no record of the action. */
export class NotArrivedError extends Error {
  override readonly name = 'NotArrivedError';
  readonly txHash: string;
  /** True if the action has no expiry and may therefore still be executed. */
  readonly mayStill: boolean;

  constructor({ mayStill, txHash }: { readonly txHash: string; readonly mayStill: boolean }) {
    super(`the venue does not know ${txHash}${mayStill ? ' yet' : ', and takes it no more'}`);
    this.txHash = txHash;
    this.mayStill = mayStill;
  }
}
