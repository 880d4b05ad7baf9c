import * as z from 'zod';
import { refusal, type WireError } from '../errors.ts';
import { AccountType, Address, anyCase } from '../primitives.ts';
import { toWireError } from '../to-wire-error.ts';
import { checkUnknownFields, namedBy } from '../unknown-fields.ts';
import { Channel } from './paging.ts';

/** The bodies of the endpoints beside /info and /exchange. */

const Asset = anyCase(['USDC']);

/** The requests of /account-status, the faucet and the relay. */
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
    // The address is one of another chain, which need not be an EVM chain.
    dstAddr: z.string().min(1).max(128),
  }),
} as const;

/** The name of such a request. */
export type ServiceRequestName = keyof typeof SERVICE_REQUESTS;

/** A parsed request of these endpoints. */
export type ServiceRequest<Name extends ServiceRequestName> = z.output<
  (typeof SERVICE_REQUESTS)[Name]
>;

/** Reads the body of one of these endpoints. */
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
