import * as z from 'zod';

const HEX_DIGITS = 64;

const Component = z
  .string()
  .regex(/^0x[0-9a-fA-F]{1,64}$/)
  .transform((text) => `0x${text.slice(2).toLowerCase().padStart(HEX_DIGITS, '0')}` as const);

/**
 * A signature: `r` and `s` are padded to 32 bytes, and `v` of 0 or 1 becomes 27 or 28. A form that
 * is not hex is a malformed request; a well-formed signature that recovers nobody is a refusal.
 */
export const SignatureSchema = z.object({
  r: Component,
  s: Component,
  v: z.int().transform((value, context): 27 | 28 => {
    if (value === 0 || value === 27) return 27;
    if (value === 1 || value === 28) return 28;
    context.issues.push({ code: 'custom', input: value, params: { allowed: [0, 1, 27, 28] } });
    return z.NEVER;
  }),
});

/** The signature of a permit, for a contract that reads it as it is: `v` is 27 or 28. */
export const PermitSignatureSchema = z.object({
  r: Component,
  s: Component,
  v: z.int().transform((value, context): 27 | 28 => {
    if (value === 27 || value === 28) return value;
    context.issues.push({ code: 'custom', input: value, params: { allowed: [27, 28] } });
    return z.NEVER;
  }),
});

/** A normalised signature: 32 bytes each in lower-case hex, and 27 or 28. */
export type SignatureHex = z.output<typeof SignatureSchema>;
