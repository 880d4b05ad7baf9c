/** The types that only listed signers may send. Their bodies may be larger. */
export const PERMISSIONED_TYPES = ['outcomeDeploy', 'venueAdmin'] as const;

/** True for the types that only listed signers may send. */
export function isPermissionedType(type: unknown): boolean {
  return (PERMISSIONED_TYPES as readonly unknown[]).includes(type);
}
