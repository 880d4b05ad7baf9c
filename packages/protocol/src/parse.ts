import * as z from 'zod';
import {
  ACTIONS,
  actionDefinition,
  isInnerActionType,
  type Action,
  type MultiSigAction,
} from './actions/registry.ts';
import type { WireError } from './errors.ts';
import { refusal } from './refusal.ts';
import { nearestName } from './nearest-name.ts';
import { Address, anyCase, Ms, SignatureSchema, U64 } from './primitives.ts';
import { toWireError } from './to-wire-error.ts';

/** The parsed value, or the refusal to respond with. */
type Parsed<Value> =
  | ({ readonly ok: true } & Value)
  | { readonly ok: false; readonly error: WireError };

/** The /exchange envelope. Unknown keys in it are ignored. */
export const EnvelopeSchema = z.object({
  action: z.looseObject({}),
  signature: SignatureSchema,
  nonce: U64,
  vaultAddress: Address.nullable().optional(),
  signatureChainId: U64.nullable().optional(),
  confirm: anyCase(['executed']).optional(),
  expiresAfter: Ms.nullable().optional(),
});

/**
 * The parsed /exchange envelope. Its `action` is still as received, because it is parsed
 * separately.
 */
export type Envelope = z.output<typeof EnvelopeSchema>;

/** Reads the /exchange envelope, except its action. */
export function parseEnvelope(value: unknown): Parsed<{ readonly envelope: Envelope }> {
  const parsed = EnvelopeSchema.safeParse(value);
  if (parsed.success) return { ok: true, envelope: parsed.data };
  if (!isObject(value)) return { ok: false, error: refusal('notAnObject', []) };
  return { ok: false, error: toWireError(parsed.error.issues, value) };
}

/** Reads an action with the definition of its type, and the inner action of a wrapper likewise. */
export function parseAction(value: unknown): Parsed<{ readonly action: Action }> {
  return parseActionAt(value, []);
}

function parseActionAt(
  value: unknown,
  prefix: readonly string[],
): Parsed<{ readonly action: Action }> {
  if (!isObject(value)) return { ok: false, error: refusal('wrongType', ['action']) };
  const field = [...prefix, 'type'].join('.');
  const type = value['type'];
  if (type === undefined) {
    return { ok: false, error: refusal('missingField', ['type'], { field }) };
  }
  if (typeof type !== 'string') {
    return { ok: false, error: refusal('wrongType', ['type'], { field }) };
  }
  const definition = actionDefinition(type);
  if (definition === undefined) {
    return { ok: false, error: refuseUnknownAction(type, field) };
  }
  if (prefix.length > 0 && !isInnerActionType(type)) {
    return { ok: false, error: refuseInner(type, field) };
  }
  const parsed = definition.schema.safeParse(value);
  if (!parsed.success) {
    return { ok: false, error: toWireError(parsed.error.issues, value, prefix) };
  }
  const action = parsed.data as Action;
  return action.type === 'multiSig' ? withInnerAction(action) : { ok: true, action };
}

function refuseUnknownAction(type: string, field: string): WireError {
  const allowed = Object.keys(ACTIONS);
  const near = nearestName(type, allowed);
  const page = 'all actions are in /docs/exchange';
  const why = near === undefined ? page : `here it is ${near}; ${page}`;
  return refusal('notAllowed', [], { field, got: type, allowed, why });
}

/**
 * Builds the refusal for an inner action: a wrapper must not contain another wrapper or an operator
 * action.
 */
function refuseInner(type: string, field: string): WireError {
  if (type === 'multiSig') return refusal('wrongType', ['type'], { field, got: type });
  return refusal('signerNotPermitted', [type], { field, got: type });
}

function withInnerAction(wrapper: MultiSigAction): Parsed<{ readonly action: Action }> {
  const inner = parseActionAt(wrapper.payload.action, ['payload', 'action']);
  if (!inner.ok) return inner;
  const payload = { ...wrapper.payload, action: inner.action };
  return { ok: true, action: { ...wrapper, payload } as MultiSigAction };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
