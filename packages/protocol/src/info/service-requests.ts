import * as z from 'zod';
import type { WireError } from '../errors.ts';
import { refusal } from '../refusal.ts';
import { LIMITS, PAGE_LIMITS } from '../limits.ts';
import { AccountType, Address, anyCase, I32, listOf } from '../primitives.ts';
import { toWireError } from '../to-wire-error.ts';
import { checkUnknownFields, namedBy } from '../unknown-fields.ts';
import { Channel, limitOf } from './paging.ts';

const Asset = anyCase(['USDC']);
const INVALID_OFFSET = { params: { refusal: 'invalidOffset' } } as const;

export const SERVICE_REQUESTS = {
  accountStatus: z.object({
    type: z.literal('accountStatus'),
    user: Address,
    channel: Channel.default(0),
  }),
  requestFund: z.object({
    user: Address,
    accountType: AccountType.default('perp'),
    onChain: z.boolean().optional(),
  }),
  depositAddress: z.object({
    srcChain: z.string(),
    dstChain: z.string(),
    asset: Asset,
    dstAddr: Address,
    accountType: AccountType.optional(),
  }),
  pegAddress: z.object({
    srcChain: z.string(),
    dstChain: z.string(),
    asset: Asset,
    // The address is on another chain, which may not be an EVM chain.
    dstAddr: z.string().min(1).max(128),
  }),
  transfers: z.object({
    user: Address,
    page: I32.refine((page) => page >= 0 && page <= LIMITS.offsetMax, INVALID_OFFSET).default(0),
    pageSize: limitOf(PAGE_LIMITS.relayTransfers),
  }),
  registerPegs: z.object({
    addresses: listOf(Address, { name: 'addresses', min: 1, max: LIMITS.pegsMax }),
    signature: z.string().regex(/^0x[0-9a-f]{130}$/),
  }),
  relayFund: z.object({ chain: z.string(), user: Address }),
} as const;

export type ServiceRequestName = keyof typeof SERVICE_REQUESTS;

type ServiceRequest<Name extends ServiceRequestName> = z.output<(typeof SERVICE_REQUESTS)[Name]>;

/** Reads the body of a request to one of these endpoints. */
export function parseServiceRequest<Name extends ServiceRequestName>(
  name: Name,
  value: unknown,
):
  | { readonly ok: true; readonly request: ServiceRequest<Name> }
  | { readonly ok: false; readonly error: WireError } {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { ok: false, error: refusal('notAnObject', []) };
  }
  const schema = SERVICE_REQUESTS[name];
  const parsed = schema.safeParse(value);
  if (!parsed.success) return { ok: false, error: toWireError(parsed.error.issues, value) };
  const unknown = checkUnknownFields(namedBy(schema), value);
  if (unknown !== undefined) return { ok: false, error: unknown };
  return { ok: true, request: parsed.data as ServiceRequest<Name> };
}
